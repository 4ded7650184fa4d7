import { OperationalError } from './operation.errors.js';
import { RedisQueueError } from './redis-queue.error.js';

/** What the caller of the broker may do about an error. */
export interface BrokerFailure extends ErrorOptions {
  /** Whether the same call may succeed later, see `OperationFailure`. @default false */
  readonly retryable?: boolean;
  /** Whether the operation may have happened. @default false */
  readonly outcomeAmbiguous?: boolean;
}

/**
 * Root of what the broker engine itself refuses. What the connection or the server refuses is an
 * `OperationalError`, a wrong option or argument an `InvalidOptionError`, as in all engines.
 */
export class BrokerError extends RedisQueueError {
  readonly retryable: boolean;
  readonly outcomeAmbiguous: boolean;

  constructor(code: string, message: string, failure: BrokerFailure = {}) {
    super(code, message, failure.cause === undefined ? undefined : { cause: failure.cause });
    this.retryable = failure.retryable ?? false;
    this.outcomeAmbiguous = failure.outcomeAmbiguous ?? false;
  }
}

/** Stored data contradicts itself, or an exact id is taken; nothing was changed. */
export class IntegrityError extends BrokerError {
  constructor(message: string) {
    super('INTEGRITY', message);
  }
}

/** A queue's name, a prefix of names or a reference to an alias is malformed. Nothing was changed. */
export class QueueNameError extends BrokerError {
  constructor(message: string) {
    super('INVALID_QUEUE_NAME', message);
  }
}

/** The target of a rename has messages. Nothing was changed. */
export class QueueExistsError extends BrokerError {
  constructor(message: string) {
    super('QUEUE_EXISTS', message);
  }
}

/** A body cannot be stored: not a text, not well-formed, or too large. Nothing was written. */
export class MessageError extends BrokerError {
  constructor(message: string, options?: ErrorOptions) {
    super('INVALID_MESSAGE', message, options);
  }
}

/** An alias is unknown, exists already, or would not be flat. Nothing was changed. */
export class AliasError extends BrokerError {
  constructor(message: string) {
    super('ALIAS', message);
  }
}

/** There are no message ids left, or it is not known whether the high-water mark was raised. */
export class TimestampError extends BrokerError {
  constructor(message: string, failure?: BrokerFailure) {
    super('TIMESTAMP', message, failure);
  }
}

/** A backend extension was made for another version of the core; nothing was opened. */
export class ApiVersionError extends BrokerError {
  constructor(message: string) {
    super('API_VERSION', message);
  }
}

/** The keys of this namespace are not ours, are incomplete, or have another storage schema. */
export class NamespaceError extends BrokerError {
  constructor(message: string, code = 'NAMESPACE') {
    super(code, message);
  }
}

/** The namespace was deleted since it was opened; the broker opens it anew and asks again. */
export class NotInitialisedError extends NamespaceError {
  constructor(message: string) {
    super(message, 'NOT_INITIALISED');
  }
}

/**
 * A mutation through a handle whose at-least-once batch is open; other handles are free to. With a
 * `cause` the batch was ended, and giving it back failed so far: the same call tries it again.
 */
export class BatchOpenError extends BrokerError {
  constructor(queue: string, cause?: unknown) {
    const what =
      cause === undefined
        ? `an at-least-once batch of ${queue} is open on this handle: end it first`
        : `an at-least-once batch of ${queue} could not be given back: try again`;
    const failure = { cause, retryable: true, outcomeAmbiguous: false };
    super('BATCH_OPEN', what, cause === undefined ? undefined : failure);
  }
}

/** Messages are reserved by an open batch or a running handler; nothing was changed. */
export class ReservedError extends OperationalError {
  constructor(message: string) {
    super(message, { retryable: true, outcomeAmbiguous: false }, 'RESERVED');
  }
}

/** A batch was recovered, ended or never was: its messages may have been delivered again. */
export class InvalidBatchError extends OperationalError {
  constructor(message: string) {
    super(message, { retryable: false, outcomeAmbiguous: false }, 'INVALID_BATCH');
  }
}

/** All connections of the pool were busy for `poolTimeoutMs`; nothing was sent. */
export class PoolExhaustedError extends OperationalError {
  constructor(maxConnections: number, timeoutMs: number) {
    super(
      `all ${maxConnections} connections were busy for ${timeoutMs} ms`,
      { retryable: true, outcomeAmbiguous: false },
      'POOL_EXHAUSTED',
    );
  }
}
