import type { HandlerLogger } from '../contract/index.js';
import { MAX_DURATION_MS } from '../errors/index.js';
import { readableError } from './readable-error.js';
import {
  RETRY_DEFAULTS,
  checkRetryOptions,
  type BackoffFunction,
  type ExponentialBackoff,
  type ResolvedRetry,
  type RetryOptions,
} from './retry.options.js';

/** A run that failed, as the policy looks at it. */
export interface FailedRun {
  /** Which run it was: 1 for the first. */
  readonly attempt: number;
  /** The producer's own limit; `null` leaves it to the policy. */
  readonly maxAttempts: number | null;
  readonly error: Error;
  /** The message's name: the job type, or empty. */
  readonly type: string;
}

/** What a policy needs beside its options. */
export interface RetryPolicyParts {
  readonly logger: HandlerLogger;
  /** A number from 0 to 1 for the jitter. @default Math.random */
  readonly random?: () => number;
}

/** Says whether and when a failed message is tried again. */
export class RetryPolicy {
  private readonly retry: ResolvedRetry;
  private readonly random: () => number;
  private isFunctionBroken = false;

  /** @throws InvalidOptionError naming the option, for example `retry.backoff.baseMs` */
  constructor(
    options: RetryOptions,
    private readonly parts: RetryPolicyParts,
  ) {
    this.retry = checkRetryOptions(options);
    this.random = parts.random ?? Math.random;
  }

  /** Whole milliseconds until the next attempt, at least 1; `null` when there is none. */
  nextRetryMs(run: FailedRun): number | null {
    if (run.attempt >= (run.maxAttempts ?? this.retry.attempts)) return null;
    const { backoff } = this.retry;
    if (typeof backoff === 'function') return this.askFunction(backoff, run);
    return backoff.type === 'fixed' ? backoff.delayMs : this.exponential(backoff, run.attempt);
  }

  private askFunction(backoff: BackoffFunction, run: FailedRun): number | null {
    try {
      const answer = checkedAnswer(backoff(run.attempt, run.error, run.type));
      this.isFunctionBroken = false;
      return answer;
    } catch (error) {
      this.tellOnce(readableError(error));
      return this.exponential(RETRY_DEFAULTS.backoff, run.attempt);
    }
  }

  private exponential(backoff: Required<ExponentialBackoff>, attempt: number): number {
    const full = Math.min(backoff.capMs, backoff.baseMs * 2 ** (attempt - 1));
    return Math.max(1, Math.round(full * (1 - backoff.jitter * this.random())));
  }

  /** One line a change of state: a broken function is broken for every message. */
  private tellOnce(error: Error): void {
    if (this.isFunctionBroken) return;
    this.isFunctionBroken = true;
    this.parts.logger.error(
      `retry.backoff: ${error.message}; the default pauses are taken instead`,
      error.stack,
    );
  }
}

function checkedAnswer(answer: unknown): number | null {
  if (answer === null) return null;
  if (typeof answer === 'number' && Number.isFinite(answer) && answer >= 0)
    return Math.min(MAX_DURATION_MS, Math.max(1, Math.ceil(answer)));
  throw new TypeError(`the function returned ${describe(answer)}`);
}

function describe(answer: unknown): string {
  return typeof answer === 'number' ? String(answer) : `something of type ${typeof answer}`;
}
