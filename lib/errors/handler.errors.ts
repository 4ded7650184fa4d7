import { checkDuration } from './checks.js';
import { RedisQueueError } from './redis-queue.error.js';

/** Thrown by a handler: no attempt is of use any more, dead-letter the message at once. */
export class UnrecoverableError extends RedisQueueError {
  constructor(message: string, options?: ErrorOptions) {
    super('UNRECOVERABLE', message, options);
  }
}

/** Thrown by a handler: not now; the message comes back later without an attempt spent. */
export class RetryLaterError extends RedisQueueError {
  readonly delayMs: number;

  /** @param delayMs whole milliseconds until the message is deliverable again, 0 or more. */
  constructor(delayMs: number, message = `postponed by ${delayMs} ms`) {
    super('RETRY_LATER', message);
    this.delayMs = checkDuration('delayMs', delayMs, { min: 0 });
  }
}
