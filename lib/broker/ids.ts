import { InvalidOptionError } from '../errors/index.js';
import { asText } from '../redis/index.js';

/** The highest message id, 2^63 - 1. */
export const MAX_ID = 2n ** 63n - 1n;

const DIGITS = 19;
const EXACT = /^[0-9]{19}$/;
const NS_PER_MS = 1_000_000n;

/** Which ids are allowed, both ends included. */
export interface IdRange {
  readonly min: bigint;
  readonly max: bigint;
}

/** Ids that select a message. */
const SELECTABLE: IdRange = Object.freeze({ min: 0n, max: MAX_ID });

/** Ids that a message may be given: one above it has to be left for the next message. */
export const INSERTABLE: IdRange = Object.freeze({ min: 1n, max: MAX_ID - 1n });

/** A message id as it stands in Redis and in JSON: exactly 19 digits. */
export function formatId(id: bigint): string {
  return id.toString().padStart(DIGITS, '0');
}

/** The id of 19 digits that a script answered. */
export function asId(raw: unknown): bigint {
  return BigInt(asText(raw));
}

/** A text of exactly 19 digits as an id; `null` for anything else. */
export function parseId(text: unknown): bigint | null {
  return typeof text === 'string' && EXACT.test(text) ? BigInt(text) : null;
}

/**
 * When a message was written, in epoch milliseconds of the Redis clock. Of one that was inserted or
 * loaded, and of ids above an advanced mark, it is only what the number says.
 */
export function writtenAt(id: bigint): number {
  return Number(id / NS_PER_MS);
}

/**
 * An id that a caller names: a bigint, or a text of exactly 19 digits (white space around it is
 * ignored). A number is refused: ids do not fit one.
 *
 * @throws InvalidOptionError naming the option
 */
export function checkId(option: string, value: unknown, { min, max } = SELECTABLE): bigint {
  const id = typeof value === 'string' ? parseId(value.trim()) : value;
  if (typeof id === 'bigint' && id >= min && id <= max) return id;
  throw new InvalidOptionError(
    option,
    `expected a message id: a bigint from ${min} to ${max}, or a text of 19 digits`,
  );
}
