import { checkDuration, checkInteger, checkKeys } from '../errors/index.js';

/** How many finished or dead messages of one kind stay readable; the rest is deleted oldest first. */
export interface Retention {
  /** 0 deletes at once. */
  readonly count?: number;
  /** Older ones are deleted, in milliseconds. */
  readonly ageMs?: number;
}

/** Retention with both limits named; `ageMs` 0 means no limit of age. */
export interface RetentionLimits {
  readonly count: number;
  readonly ageMs: number;
}

/** What is kept of failures unless an option says otherwise: 10,000 for up to 14 days. */
export const KEEP_FAILURES: RetentionLimits = Object.freeze({
  count: 10_000,
  ageMs: 14 * 86_400_000,
});

/** @throws InvalidOptionError naming the option */
export function checkRetention(
  option: string,
  given: Retention | undefined,
  defaults: RetentionLimits,
): RetentionLimits {
  if (given === undefined) return defaults;
  checkKeys(option, given, ['count', 'ageMs']);
  const { count = defaults.count, ageMs } = given;
  return Object.freeze({
    count: checkInteger(`${option}.count`, count, { min: 0, max: 1e9 }),
    ageMs: ageMs === undefined ? defaults.ageMs : checkDuration(`${option}.ageMs`, ageMs),
  });
}
