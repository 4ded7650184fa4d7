import {
  checkDuration,
  checkInteger,
  checkKeys,
  MAX_TIMER_MS,
  withoutUndefined,
} from '../errors/index.js';
import {
  RETRY_DEFAULTS,
  checkRetryOptions,
  type ResolvedRetry,
  type RetryOptions,
} from './retry.options.js';

/** How one claim loop works. */
export interface LoopOptions {
  /** How many handlers run at once: 1 to 10,000. @default 1 */
  readonly concurrency?: number;
  /**
   * How many messages are claimed ahead: 0 to 10,000. They wait here under a lease, out of reach
   * of other processes; worth it for short handlers at low concurrency. @default 0
   */
  readonly prefetch?: number;
  /** How long a silent process keeps its messages, in milliseconds. @default 30_000 */
  readonly leaseMs?: number;
  readonly retry?: RetryOptions;
  /**
   * The longest a run may take, in milliseconds, up to 2,147,483,647. Then its signal aborts, the
   * run counts as failed with `RunTimeoutError` and its slot is free, even when the handler does
   * not heed the signal. @default no limit
   */
  readonly timeoutMs?: number | null;
}

/** Loop options that were checked and completed. */
export interface ResolvedLoop {
  readonly concurrency: number;
  readonly prefetch: number;
  readonly leaseMs: number;
  readonly retry: ResolvedRetry;
  readonly timeoutMs: number | null;
}

/** What holds where the options say nothing. */
export const LOOP_DEFAULTS = Object.freeze({
  concurrency: 1,
  prefetch: 0,
  leaseMs: 30_000,
  retry: RETRY_DEFAULTS,
  timeoutMs: null,
}) satisfies ResolvedLoop;

/** The most handlers one loop runs at once, and the most it claims ahead. */
const MAX_SLOTS = 10_000;

/**
 * Checks loop options and completes them; what it returns can be passed in again.
 *
 * @param owner goes before the option's name in errors, for example `processors.`
 * @throws InvalidOptionError naming the option; also for a name that is not an option
 */
export function checkLoopOptions(options: LoopOptions = {}, owner = ''): ResolvedLoop {
  checkKeys(owner.replace(/\.$/, '') || 'options', options, Object.keys(LOOP_DEFAULTS));
  const { concurrency, prefetch, leaseMs, retry, timeoutMs } = withDefaults(options);
  return Object.freeze({
    concurrency: checkInteger(`${owner}concurrency`, concurrency, { min: 1, max: MAX_SLOTS }),
    prefetch: checkInteger(`${owner}prefetch`, prefetch, { min: 0, max: MAX_SLOTS }),
    leaseMs: checkDuration(`${owner}leaseMs`, leaseMs),
    retry: checkRetryOptions(retry, `${owner}retry`),
    timeoutMs:
      timeoutMs === null
        ? null
        : checkDuration(`${owner}timeoutMs`, timeoutMs, { max: MAX_TIMER_MS }),
  });
}

/** An option that is there and undefined counts as left out. */
function withDefaults(options: LoopOptions): Required<LoopOptions> {
  return { ...LOOP_DEFAULTS, ...withoutUndefined(options) };
}
