import { isWellFormed } from '../delivery/index.js';
import { checkInteger, checkKeys, checkList, InvalidOptionError } from '../errors/index.js';
import type { BroadcastRequest, FindRequest, PeekScope } from './broker.backend.js';
import type { IdBounds } from './message.js';
import { checkQueueNames } from './queue-name.js';
import { boundsOf, switchOf } from './selectors.js';

/** How a message is written. */
export interface WriteOptions {
  /**
   * Keeps only so many pending messages, the new one among them, in the same step; those it
   * displaces become claimed. 1 to 9,999; the server is blocked for as long as there are many.
   */
  readonly keepNewest?: number;
}

/** Whether `peek` shows claimed messages too. */
export interface PeekOptions {
  /** @default false */
  readonly includeClaimed?: boolean;
}

/** Whether `move` takes unclaimed messages only. */
export interface MoveOptions {
  /** @default true */
  readonly requireUnclaimed?: boolean;
}

/** Where `find` looks. */
export interface FindOptions extends IdBounds, PeekOptions {
  /** 1 to 1,000. @default 100 */
  readonly limit?: number;
}

/** To which queues a broadcast goes; without options to all that exist. */
export interface BroadcastOptions {
  /** Queues whose names match: `*`, `?`, `[seq]`, `[!seq]`, from a snapshot taken before. */
  readonly pattern?: string;
  /** Exactly these, as far as they exist; at most 100,000. */
  readonly queues?: readonly string[];
  /** Whether those of `queues` that do not exist are made. @default false */
  readonly createMissing?: boolean;
}

/** Which queues `listQueues` shows. */
export interface ListQueuesOptions {
  /** The beginning of their names; excludes `pattern`. */
  readonly prefix?: string;
  /** As of a broadcast; excludes `prefix`. */
  readonly pattern?: string;
}

const MAX_KEPT = 9_999;
/** A shorter text would be found everywhere. */
const MIN_NEEDLE = 3;
const MAX_NEEDLE = 1_024;

/** @throws InvalidOptionError naming `keepNewest` */
export function checkKeepNewest(options: WriteOptions): number | null {
  checkKeys('options', options, ['keepNewest']);
  if (!('keepNewest' in options)) return null;
  return checkInteger('keepNewest', options.keepNewest, { min: 1, max: MAX_KEPT });
}

/** Which sets `peek` goes through. @throws InvalidOptionError naming `includeClaimed` */
export function scopeOf(options: PeekOptions): PeekScope {
  return switchOf(options, 'includeClaimed', false) ? 'all' : 'unread';
}

/** @throws InvalidOptionError naming the option */
export function checkFind(text: string, options: FindOptions): Omit<FindRequest, 'queue'> {
  checkKeys('options', options, ['limit', 'after', 'before', 'includeClaimed']);
  const { limit = 100 } = options;
  return {
    text: checkNeedle(text),
    ...boundsOf(options as Readonly<Record<string, unknown>>),
    limit: checkInteger('limit', limit, { min: 1, max: 1_000 }),
    withClaimed: switchOf(options, 'includeClaimed', false),
  };
}

/** A broadcast's targets; a pattern is left to be matched. @throws InvalidOptionError, QueueNameError */
export function checkBroadcast(
  options: BroadcastOptions,
): Omit<BroadcastRequest, 'body'> & { readonly pattern: string | null } {
  checkKeys('options', options, ['pattern', 'queues', 'createMissing']);
  const createMissing = switchOf(options, 'createMissing', false);
  if ('pattern' in options && 'queues' in options) {
    throw new InvalidOptionError('pattern', 'give either pattern or queues');
  }
  if ('createMissing' in options && !('queues' in options)) {
    throw new InvalidOptionError('createMissing', 'needs queues');
  }
  if ('queues' in options) {
    const queues = checkQueueNames('queues', checkList('queues', options.queues ?? NONE));
    return { mode: createMissing ? 'create' : 'existing', queues, pattern: null };
  }
  const pattern = 'pattern' in options ? checkPattern(options.pattern) : null;
  return { mode: 'all', queues: [], pattern };
}

/** An empty pattern is refused: it would match no queue, and is easily taken for all of them. */
export function checkPattern(pattern: unknown): string {
  const isText = typeof pattern === 'string' && pattern !== '';
  if (isText && pattern.length <= MAX_NEEDLE) return pattern;
  throw new InvalidOptionError('pattern', `expected a text of 1 to ${MAX_NEEDLE} characters`);
}

/** What stands for a list that is missing: no list. */
const NONE = null as unknown as readonly string[];

function checkNeedle(text: unknown): string {
  const isText = typeof text === 'string' && text.length <= MAX_NEEDLE && isWellFormed(text);
  if (isText && text.replace(/\s/g, '').length >= MIN_NEEDLE) return text;
  throw new InvalidOptionError(
    'text',
    `expected a well-formed text with ${MIN_NEEDLE} characters that are not blank, at most ${MAX_NEEDLE} in all`,
  );
}
