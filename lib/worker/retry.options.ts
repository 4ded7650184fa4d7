import {
  MAX_ATTEMPTS,
  checkDuration,
  checkInteger,
  checkKeys,
  checkNumber,
  checkOneOf,
} from '../errors/index.js';

/** The same pause after every failure. */
export interface FixedBackoff {
  readonly type: 'fixed';
  /** Milliseconds until the next attempt, at least 1. */
  readonly delayMs: number;
}

/** Pauses that double from one attempt to the next. */
export interface ExponentialBackoff {
  readonly type: 'exponential';
  /** The pause after the first failure, in milliseconds. @default 1_000 */
  readonly baseMs?: number;
  /** The longest pause, in milliseconds; not below `baseMs`. @default 3_600_000 */
  readonly capMs?: number;
  /**
   * The largest part (0 to 1) by which a pause is shortened at random, so that messages which
   * failed together do not come back together. @default 0.2
   */
  readonly jitter?: number;
}

/**
 * Milliseconds until the next attempt, or `null` for no more attempts.
 *
 * `attempt` is the run that just failed (1 for the first), `type` the message's name. When the
 * function throws, or returns anything but `null` or a number of 0 or more, the default
 * exponential pause is taken instead.
 */
export type BackoffFunction = (attempt: number, error: Error, type: string) => number | null;

/** How long a failed message waits for its next attempt. */
export type BackoffOptions = FixedBackoff | ExponentialBackoff | BackoffFunction;

/** How often a message is tried, and how long it waits in between. */
export interface RetryOptions {
  /** Runs in all, the first included; at most 1,000,000; a producer's own limit comes before it. @default 3 */
  readonly attempts?: number;
  /** @default exponential from 1 second up to 1 hour, shortened by up to 20 % */
  readonly backoff?: BackoffOptions;
}

/** Retry options that were checked and completed. */
export interface ResolvedRetry {
  readonly attempts: number;
  readonly backoff: FixedBackoff | Required<ExponentialBackoff> | BackoffFunction;
}

/** What holds where the options say nothing. */
export const RETRY_DEFAULTS = Object.freeze({
  attempts: 3,
  backoff: Object.freeze({
    type: 'exponential',
    baseMs: 1_000,
    capMs: 3_600_000,
    jitter: 0.2,
  } as const),
}) satisfies ResolvedRetry;

/**
 * Checks retry options and completes them.
 *
 * @param option the name to use in errors
 * @throws InvalidOptionError naming the option, for example `retry.backoff.baseMs`
 */
export function checkRetryOptions(options: RetryOptions = {}, option = 'retry'): ResolvedRetry {
  checkKeys(option, options, ['attempts', 'backoff']);
  const { attempts = RETRY_DEFAULTS.attempts, backoff = RETRY_DEFAULTS.backoff } = options;
  return Object.freeze({
    attempts: checkInteger(`${option}.attempts`, attempts, { min: 1, max: MAX_ATTEMPTS }),
    backoff: checkBackoff(backoff, `${option}.backoff`),
  });
}

function checkBackoff(backoff: BackoffOptions, option: string): ResolvedRetry['backoff'] {
  if (typeof backoff === 'function') return backoff;
  checkKeys(option, backoff, ['type', 'delayMs', 'baseMs', 'capMs', 'jitter']);
  const type = checkOneOf(`${option}.type`, backoff.type, ['fixed', 'exponential']);
  return type === 'fixed'
    ? checkFixed(backoff as FixedBackoff, option)
    : checkExponential(backoff as ExponentialBackoff, option);
}

function checkFixed(backoff: FixedBackoff, option: string): FixedBackoff {
  checkKeys(option, backoff, ['type', 'delayMs']);
  return { type: 'fixed', delayMs: checkDuration(`${option}.delayMs`, backoff.delayMs) };
}

function checkExponential(
  backoff: ExponentialBackoff,
  option: string,
): Required<ExponentialBackoff> {
  checkKeys(option, backoff, ['type', 'baseMs', 'capMs', 'jitter']);
  const standard = RETRY_DEFAULTS.backoff;
  const { baseMs = standard.baseMs, jitter = standard.jitter } = backoff;
  checkDuration(`${option}.baseMs`, baseMs);
  const { capMs = Math.max(standard.capMs, baseMs) } = backoff;
  return {
    type: 'exponential',
    baseMs,
    capMs: checkDuration(`${option}.capMs`, capMs, { min: baseMs }),
    jitter: checkNumber(`${option}.jitter`, jitter, { min: 0, max: 1 }),
  };
}
