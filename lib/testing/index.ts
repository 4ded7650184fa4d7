export { MemoryEngine } from './memory-engine.js';
export type { MemoryState, ProduceOptions } from './memory-message.js';
