/** Waits that can all be cut short; none of them keeps the process alive. */
export class Pauses {
  private readonly wakers = new Set<() => void>();
  private isEnded = false;

  /** Resolves after `ms` milliseconds, or as soon as `end` is called. */
  wait(ms: number): Promise<void> {
    if (this.isEnded) return Promise.resolve();
    return new Promise((resolve) => {
      const wake = (): void => {
        clearTimeout(timer);
        this.wakers.delete(wake);
        resolve();
      };
      const timer = setTimeout(wake, ms).unref();
      this.wakers.add(wake);
    });
  }

  /** Ends every wait, now and from now on. */
  end(): void {
    this.isEnded = true;
    for (const wake of this.wakers) wake();
  }
}

/** Waits for a promise that never rejects, but no longer than `ms`; says whether it resolved. */
export async function within(ms: number, work: Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<boolean>((resolve) => {
    timer = setTimeout(resolve, Math.min(ms, 2 ** 31 - 1), false);
  });
  const isDone = await Promise.race([work.then(() => true), limit]);
  clearTimeout(timer);
  return isDone;
}
