import { RedisQueueError } from './redis-queue.error.js';

/** An option or argument is of the wrong type or out of range; nothing was written. */
export class InvalidOptionError extends RedisQueueError {
  constructor(
    /** The option's name as the caller wrote it, for example `retry.attempts`. */
    readonly option: string,
    /** What is wrong and what to pass instead. */
    problem: string,
  ) {
    super('INVALID_OPTION', `${option}: ${problem}`);
  }
}

/** A payload (or result) cannot be stored: not serialisable or too large. Nothing was written. */
export class PayloadError extends RedisQueueError {
  constructor(message: string, options?: ErrorOptions) {
    super('INVALID_PAYLOAD', message, options);
  }
}

/** A stored body cannot be decoded; the message is dead-lettered once with its raw body kept. */
export class UnreadablePayloadError extends RedisQueueError {
  constructor(message: string, options?: ErrorOptions) {
    super('UNREADABLE_PAYLOAD', message, options);
  }
}
