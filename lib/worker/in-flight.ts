/** What is under way, and a promise for the moment when nothing is. */
export class InFlight<T> implements Iterable<T> {
  private readonly items = new Set<T>();
  private waiters: (() => void)[] = [];

  get size(): number {
    return this.items.size;
  }

  add(item: T): void {
    this.items.add(item);
  }

  delete(item: T): void {
    this.items.delete(item);
    if (this.items.size > 0 || this.waiters.length === 0) return;
    const waiters = this.waiters;
    this.waiters = [];
    for (const wake of waiters) wake();
  }

  /** Resolves as soon as nothing is under way; at once when nothing is now. */
  idle(): Promise<void> {
    if (this.items.size === 0) return Promise.resolve();
    return new Promise((resolve) => this.waiters.push(resolve));
  }

  [Symbol.iterator](): Iterator<T> {
    return this.items.values();
  }
}
