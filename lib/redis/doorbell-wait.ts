/**
 * One caller's wait. It ends by a timer of its own: an idle server looks at the time-outs of
 * blocking reads ten times a second only, and a job may become due in between.
 */
export class Wait {
  /** Resolves when the wait is over. */
  readonly over: Promise<void>;
  /** When it is over, on the process's own monotonic clock. */
  readonly endsAt: number;
  /** Called once when the wait is over. */
  onOver: () => void = () => undefined;
  readonly #timer: NodeJS.Timeout;
  #resolve: () => void = () => undefined;
  #isOver = false;

  constructor(
    readonly keys: readonly string[],
    timeoutMs: number,
    private readonly signal?: AbortSignal,
  ) {
    this.endsAt = performance.now() + timeoutMs;
    this.over = new Promise((resolve) => (this.#resolve = resolve));
    this.#timer = setTimeout(this.end, timeoutMs);
    signal?.addEventListener('abort', this.end);
  }

  readonly end = (): void => {
    if (this.#isOver) return;
    this.#isOver = true;
    clearTimeout(this.#timer);
    this.signal?.removeEventListener('abort', this.end);
    this.#resolve();
    this.onOver();
  };
}
