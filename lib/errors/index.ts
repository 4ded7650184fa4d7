export * from './checks.js';
export * from './delivery.errors.js';
export * from './handler.errors.js';
export * from './job.errors.js';
export * from './operation.errors.js';
export * from './option.errors.js';
export * from './processor.errors.js';
export * from './redis-queue.error.js';
