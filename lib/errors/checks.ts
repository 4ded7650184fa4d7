import { InvalidOptionError } from './option.errors.js';

/** The largest duration that makes sense: 100 years, far below where a score loses precision. */
export const MAX_DURATION_MS = 100 * 365 * 86_400_000;

/** The longest pause that a timer of Node knows, in milliseconds; longer ones fire at once. */
export const MAX_TIMER_MS = 2 ** 31 - 1;

/** The most attempts of a message: they are counted in a record that stays small. */
export const MAX_ATTEMPTS = 1_000_000;

interface Range {
  readonly min?: number;
  readonly max?: number;
}

/** A whole number within the range; anything else (text, NaN, a fraction) is refused by name. */
export function checkInteger(option: string, value: unknown, range: Range = {}): number {
  const { min = Number.MIN_SAFE_INTEGER, max = Number.MAX_SAFE_INTEGER } = range;
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= min && value <= max) {
    return value;
  }
  throw new InvalidOptionError(
    option,
    `expected ${wanted('a whole number', range)}, got ${show(value)}`,
  );
}

/** A duration in whole milliseconds; at least 1 unless `min` says otherwise. */
export function checkDuration(option: string, value: unknown, range: Range = {}): number {
  return checkInteger(option, value, { min: 1, max: MAX_DURATION_MS, ...range });
}

/** A finite number within the range, fractions allowed. */
export function checkNumber(option: string, value: unknown, range: Range = {}): number {
  const { min = -Infinity, max = Infinity } = range;
  if (typeof value === 'number' && Number.isFinite(value) && value >= min && value <= max)
    return value;
  throw new InvalidOptionError(option, `expected ${wanted('a number', range)}, got ${show(value)}`);
}

export function checkBoolean(option: string, value: unknown): boolean {
  if (typeof value === 'boolean') return value;
  throw new InvalidOptionError(option, `expected true or false, got ${show(value)}`);
}

export function checkFunction<F>(option: string, value: F): F {
  if (typeof value === 'function') return value;
  throw new InvalidOptionError(option, `expected a function, got ${show(value)}`);
}

export function checkOneOf<T extends string>(
  option: string,
  value: unknown,
  allowed: readonly T[],
): T {
  if (allowed.includes(value as T)) return value as T;
  throw new InvalidOptionError(option, `expected ${allowed.join(' | ')}, got ${show(value)}`);
}

/** A list, its holes filled with undefined; what is in it is checked by the caller. */
export function checkList<T>(option: string, value: readonly T[]): readonly T[] {
  if (Array.isArray(value)) return [...(value as readonly T[])]; // `map` would pass over a hole
  throw new InvalidOptionError(option, 'expected a list');
}

/** An AbortSignal, known by its shape. */
export function checkSignal(option: string, signal: AbortSignal): AbortSignal {
  const { addEventListener } = (signal ?? {}) as Partial<AbortSignal>;
  if (typeof addEventListener === 'function') return signal;
  throw new InvalidOptionError(option, `expected an AbortSignal, got ${show(signal)}`);
}

/** A plain object (not null, no array, no class of its own such as Date or Map). */
export function checkRecord(option: string, value: unknown): Record<string, unknown> {
  if (isPlainObject(value)) return value;
  throw new InvalidOptionError(option, `expected an object, got ${show(value)}`);
}

/** An options object that holds no key but the known ones: a typing error must not pass as a default. */
export function checkKeys(
  option: string,
  value: unknown,
  known: readonly string[],
): Record<string, unknown> {
  const record = checkRecord(option, value);
  const stranger = Object.keys(record).find((key) => !known.includes(key));
  if (stranger === undefined) return record;
  throw new InvalidOptionError(
    `${option}.${stranger}`,
    `no such option; known: ${known.join(', ')}`,
  );
}

/**
 * A page of a list: `limit` from 1 to 500, 100 where it is left out; `offset` 0 or more.
 *
 * @throws InvalidOptionError naming the option
 */
export function checkPage(
  page: unknown,
  maxOffset = Number.MAX_SAFE_INTEGER,
): { readonly limit: number; readonly offset: number } {
  const { limit = 100, offset = 0 } = checkKeys('page', page, ['limit', 'offset']);
  return {
    limit: checkInteger('limit', limit, { min: 1, max: 500 }),
    offset: checkInteger('offset', offset, { min: 0, max: maxOffset }),
  };
}

/** The options that were given: one that is there and undefined counts as left out. */
export function withoutUndefined<T extends object>(options: T): Partial<T> {
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given) as Partial<T>;
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

function wanted(what: string, { min, max }: Range): string {
  if (min !== undefined && max !== undefined) return `${what} from ${min} to ${max}`;
  if (min !== undefined) return `${what} of at least ${min}`;
  return max === undefined ? what : `${what} of at most ${max}`;
}

/** Shows a refused value by kind and, where it is short and harmless, by content. */
function show(value: unknown): string {
  if (typeof value === 'string') return value.length > 40 ? 'a text' : JSON.stringify(value);
  if (typeof value === 'bigint') return `${value}n`;
  if (value === null || ['number', 'boolean', 'undefined'].includes(typeof value))
    return String(value);
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'function') return 'a function';
  return value instanceof Date ? 'a Date' : 'an object';
}
