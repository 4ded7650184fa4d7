import { RedisQueueError } from './redis-queue.error.js';

/** Two processors claim the same messages, or one class is provided twice: names both places. */
export class ProcessorConflictError extends RedisQueueError {
  constructor(message: string) {
    super('PROCESSOR_CONFLICT', message);
  }
}

/** A processor class cannot work as it is written, for example because it has no `@Process`. */
export class InvalidProcessorError extends RedisQueueError {
  constructor(message: string) {
    super('INVALID_PROCESSOR', message);
  }
}
