import { RedisQueueError } from './redis-queue.error.js';

/** The lease is over or was taken away: someone else may hold the message. Nothing was changed. */
export class LeaseLostError extends RedisQueueError {
  constructor(message: string) {
    super('LEASE_LOST', message);
  }
}

/** The message was cancelled while it ran; its result is not wanted any more. */
export class CancelledError extends RedisQueueError {
  constructor(message: string) {
    super('CANCELLED', message);
  }
}

/** A run took longer than the processor's `timeoutMs`. */
export class RunTimeoutError extends RedisQueueError {
  constructor(timeoutMs: number) {
    super('RUN_TIMEOUT', `the handler ran longer than timeoutMs (${timeoutMs} ms)`);
  }
}

/** The application stops and `shutdownGraceMs` is over: the message goes back to its queue. */
export class ShutdownError extends RedisQueueError {
  constructor() {
    super('SHUTDOWN', 'the application is stopping and shutdownGraceMs is over');
  }
}
