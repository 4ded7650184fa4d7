export { ActivityWaiter, type WaitOptions } from './activity.waiter.js';
export * from './broker.backend.js';
export * from './broker.holds.js';
export { BrokerDeadLetters } from './broker.dead-letters.js';
export type { HeldMessage } from './broker.delivery.js';
export { BrokerEngine, createBrokerEngine, type BrokerEngineParts } from './broker.engine.js';
export {
  BROKER_DEFAULTS,
  type BrokerOptions,
  type BrokerSettings,
  type QueueBrokerOptions,
} from './broker.options.js';
export { BrokerQueue, type BrokerTyping } from './broker.queue.js';
export type { DumpOptions, DumpProgress } from './dump.js';
export { formatId, MAX_ID } from './ids.js';
export type { InsertedMessage } from './inserted.message.js';
export type { LoadOptions, LoadResult } from './load.js';
export * from './message.js';
export { MessageIds } from './message-ids.js';
export { QueueAliases, type QueueAlias } from './queue-aliases.js';
export { QueueBroker } from './queue.broker.js';
export { QueueWatcher } from './queue.watcher.js';
export { RedisBackend, type RedisBackendParts } from './redis.backend.js';
export type { Bounds, Selection } from './selectors.js';
export type {
  BroadcastOptions,
  FindOptions,
  ListQueuesOptions,
  MoveOptions,
  PeekOptions,
  WriteOptions,
} from './verb.options.js';
export type { ObserveOptions, WatchMode, WatchOptions } from './watch.options.js';
