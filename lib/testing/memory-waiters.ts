/** Claims that wait for work: the doorbell of a memory queue. */
export class MemoryWaiters {
  private readonly wakers = new Set<() => void>();
  private timer: NodeJS.Timeout | undefined;

  /**
   * Resolves at the next ring, when `signal` aborts, or after `atMostMs`; no wait keeps the
   * process alive.
   */
  wait(signal: AbortSignal, atMostMs: number): Promise<void> {
    if (signal.aborted) return Promise.resolve();
    this.ringIn(atMostMs);
    return new Promise((resolve) => {
      const wake = (): void => {
        this.wakers.delete(wake);
        signal.removeEventListener('abort', wake);
        resolve();
      };
      this.wakers.add(wake);
      signal.addEventListener('abort', wake);
    });
  }

  /** Wakes everyone; who finds nothing waits again. */
  ring(): void {
    clearTimeout(this.timer);
    for (const wake of this.wakers) wake();
  }

  private ringIn(ms: number): void {
    clearTimeout(this.timer);
    if (ms === Infinity) return;
    const delayMs = Math.min(Math.max(1, ms), 2 ** 31 - 1);
    this.timer = setTimeout(() => this.ring(), delayMs).unref();
  }
}
