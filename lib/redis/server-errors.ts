import {
  AliasError,
  CommandTimeoutError,
  IntegrityError,
  InvalidBatchError,
  InvalidOptionError,
  NamespaceError,
  NotConnectedError,
  NotInitialisedError,
  OperationalError,
  QueueExistsError,
  RedisQueueError,
  ReplyLostError,
  ReservedError,
  TimestampError,
} from '../errors/index.js';

/** What became of a call that failed, as far as a retry goes. */
export type FailureKind =
  /** Never left this process. */
  | 'unsent'
  /** Sent; the connection broke before the reply. */
  | 'lost'
  /** The server does not know the script's hash. */
  | 'noscript'
  /** The server refused it before any change and may take it later. */
  | 'refused'
  /** Answered for good. */
  | 'final';

/** Given by a server before it changes anything, in a state that passes. */
const REFUSALS = new Set([
  'TRYAGAIN',
  'BUSY',
  'LOADING',
  'READONLY',
  'MASTERDOWN',
  'CLUSTERDOWN',
  'MOVED',
  'ASK',
]);

/** Not retried by us, since it may last, but the same call may succeed later. */
const PASSING = new Set([...REFUSALS, 'OOM', 'MISCONF', 'NOREPLICAS', 'UNBLOCKED', 'UNKILLABLE']);

/** First words of our scripts' error replies, `<WORD> <rest>`, and the errors that they become. */
const SCRIPT_ERRORS: Readonly<Record<string, (rest: string) => RedisQueueError>> = {
  /** INVALID_OPTION <option> <problem> */
  INVALID_OPTION: (rest) => new InvalidOptionError(...split(rest)),
  ALIAS: (rest) => new AliasError(rest),
  INTEGRITY: (rest) => new IntegrityError(rest),
  INVALID_BATCH: (rest) => new InvalidBatchError(rest),
  NAMESPACE: (rest) => new NamespaceError(rest),
  NOT_INITIALISED: (rest) => new NotInitialisedError(rest),
  QUEUE_EXISTS: (rest) => new QueueExistsError(rest),
  RESERVED: (rest) => new ReservedError(rest),
  TIMESTAMP: (rest) => new TimestampError(rest),
};

/** Ends the message of an error that leaves the outcome open. */
export const IN_DOUBT = '; it may have happened';

/** Tells how a call failed, by the error that the client library rejected with. */
export function failureKind(error: unknown): FailureKind {
  if (error instanceof RedisQueueError) return 'final';
  const { name, message } = error as Error;
  if (/^(Stream isn't writeable|Cluster isn't ready)/.test(message)) return 'unsent';
  if (message.startsWith('Too many Cluster redirections')) return 'refused';
  if (name !== 'ReplyError') return 'lost';
  const word = firstWord(message);
  if (word === 'NOSCRIPT') return 'noscript';
  return REFUSALS.has(word) ? 'refused' : 'final';
}

/**
 * The first word of an error reply. Redis 6.2 wraps what a command inside a script answered:
 * `ERR Error running script (call to f_…): @user_script:5: -READONLY You can't …`.
 */
export function firstWord(message: string): string {
  const inner = /^ERR Error running script .*?: -([A-Z]+) /s.exec(message);
  return inner ? inner[1] : message.split(' ', 1)[0];
}

/** The error that a caller gets; arguments, which may be secret, are never part of it. */
export function toCallerError(error: unknown, label: string, target: string): Error {
  if (error instanceof RedisQueueError) return error;
  const { name, message } = error as Error;
  const cause = withoutArguments(error);
  if (failureKind(error) === 'unsent') {
    return new NotConnectedError(`no connection to ${target}`, { cause });
  }
  if (failureKind(error) === 'lost') {
    return new ReplyLostError(
      `the connection to ${target} broke before the reply to ${label}${IN_DOUBT}`,
      { cause },
    );
  }
  return fromReply(name === 'ReplyError' ? message : `ERR ${message}`, label, cause);
}

/** The failure of a call that only reads: whatever became of it, nothing has happened. */
export function withoutDoubt(failure: unknown): unknown {
  const kinds = [CommandTimeoutError, ReplyLostError];
  const Kind = kinds.find((kind) => failure instanceof kind);
  if (Kind === undefined) return failure;
  const { message, cause } = failure as Error;
  return new Kind(message.replace(IN_DOUBT, ''), { cause, outcomeAmbiguous: false });
}

/** A copy of a client library's error without the command that it carries. */
export function withoutArguments(error: unknown): Error {
  const { name, message, code } = error as NodeJS.ErrnoException;
  const copy = new Error(message === '' ? (code ?? name) : message);
  copy.name = name;
  return code === undefined ? copy : Object.assign(copy, { code });
}

function fromReply(message: string, label: string, cause: Error): Error {
  const [word, rest] = split(message);
  const make = Object.hasOwn(SCRIPT_ERRORS, word) ? SCRIPT_ERRORS[word] : undefined;
  if (make) return make(rest.replace(/ script: [0-9a-f]{40}, on @user_script:\d+\.$/, ''));
  return new OperationalError(`${label}: the server answered: ${message}`, {
    cause,
    retryable: PASSING.has(firstWord(message)),
    outcomeAmbiguous: false,
  });
}

function split(text: string): [first: string, rest: string] {
  const space = text.indexOf(' ');
  return space === -1 ? [text, ''] : [text.slice(0, space), text.slice(space + 1)];
}
