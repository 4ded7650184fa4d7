const FIRST_PAUSE_MS = 10;
const LONGEST_PAUSE_MS = 250;

/** How long refusals and lost replies are retried in all unless a call has a limit of its own. */
const TOTAL_MS = 30_000;

/** The pauses between the attempts of one call: exponential, at most 250 ms each. */
export class RetryBudget {
  readonly #since = performance.now();
  #pauseMs = FIRST_PAUSE_MS;

  /** @param totalMs after which `pause` answers `false`, default 30,000 */
  constructor(
    private readonly totalMs: number = TOTAL_MS,
    private readonly signal?: AbortSignal,
  ) {}

  /** Waits a while; `false` when there is no time left or the signal has aborted. */
  async pause(totalMs: number = this.totalMs): Promise<boolean> {
    if (performance.now() - this.#since + this.#pauseMs > totalMs) return false;
    await pause(this.#pauseMs, this.signal);
    this.#pauseMs = Math.min(this.#pauseMs * 2, LONGEST_PAUSE_MS);
    return this.signal?.aborted !== true;
  }
}

/** Resolves after `ms`, or as soon as the signal aborts. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal?.addEventListener('abort', end);
  });
}
