import { RedisQueueError } from './redis-queue.error.js';

/** What the caller may do about an operation that Redis did not answer well. */
export interface OperationFailure extends ErrorOptions {
  /**
   * Whether the same call may succeed later; where the outcome is ambiguous it may have taken place
   * already, so that a repetition does it twice.
   */
  readonly retryable: boolean;
  /** Whether the operation may have happened: it was sent and its reply was lost. */
  readonly outcomeAmbiguous: boolean;
}

/** Redis could not carry out an operation: connection lost, time out, server refused. */
export class OperationalError extends RedisQueueError {
  readonly retryable: boolean;
  readonly outcomeAmbiguous: boolean;

  constructor(message: string, failure: OperationFailure, code = 'OPERATION_FAILED') {
    super(code, message, { cause: failure.cause });
    this.retryable = failure.retryable;
    this.outcomeAmbiguous = failure.outcomeAmbiguous;
  }
}

/** There was no usable connection within the limit; nothing was sent. */
export class NotConnectedError extends OperationalError {
  constructor(message: string, options?: ErrorOptions) {
    super(message, { ...options, retryable: true, outcomeAmbiguous: false }, 'NOT_CONNECTED');
  }
}

/** A failure whose call was sent. */
export interface SentFailure extends ErrorOptions {
  /** `false` for a call that only reads. @default true */
  readonly outcomeAmbiguous?: boolean;
}

/** The server did not answer within `commandTimeoutMs`; the operation may have happened. */
export class CommandTimeoutError extends OperationalError {
  constructor(message: string, { outcomeAmbiguous = true, cause }: SentFailure = {}) {
    super(message, { cause, retryable: true, outcomeAmbiguous }, 'COMMAND_TIMEOUT');
  }
}

/** The connection broke after the operation was sent and before its reply came. */
export class ReplyLostError extends OperationalError {
  constructor(message: string, { outcomeAmbiguous = true, cause }: SentFailure = {}) {
    super(message, { cause, retryable: true, outcomeAmbiguous }, 'REPLY_LOST');
  }
}

/** Some items of a call for many were carried out and some were not; `results` tells which. */
export class PartialFailureError<Result = unknown> extends OperationalError {
  constructor(
    /** One entry an item, in their order: its result, or why it failed. */
    readonly results: readonly (Result | Error)[],
  ) {
    const errors = results.filter((result) => result instanceof Error);
    const isAmbiguous = errors.some((one) => (one as Partial<OperationFailure>).outcomeAmbiguous);
    super(
      `${errors.length} of ${results.length} items failed (see results): ${errors[0]?.message}`,
      { cause: errors[0], retryable: false, outcomeAmbiguous: isAmbiguous },
      'PARTIAL_FAILURE',
    );
  }
}

/** The object was closed; no command is sent any more. */
export class ClosedError extends RedisQueueError {
  constructor(what: string) {
    super('CLOSED', `${what} is closed`);
  }
}

/** The server cannot run this library, for example because it is older than Redis 6.2. */
export class UnsupportedServerError extends RedisQueueError {
  constructor(message: string) {
    super('UNSUPPORTED_SERVER', message);
  }
}
