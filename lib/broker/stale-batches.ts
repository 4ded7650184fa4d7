import type { BrokerBackend } from './broker.backend.js';

/** Before reads and moves recovery runs at most this often, in milliseconds. */
const SELDOM_MS = 1_000;

/**
 * Recovery of abandoned batches.
 *
 * A scan tells which look stale; each is then recovered by token, source and creation time, so
 * that one which ended, vanished or was renewed since the scan is left alone.
 */
export class StaleBatches {
  private lastRunAt = -Infinity;
  private current: Promise<number> | null = null;

  constructor(
    private readonly backend: BrokerBackend,
    private readonly staleBatchMs: number,
  ) {}

  /** Unless recovery is switched off; answers how many messages were given back. */
  async run(): Promise<number> {
    return this.staleBatchMs < 0 ? 0 : this.olderThan(this.staleBatchMs);
  }

  /** Unless it ran within the last second; calls during a run wait for it, and keep their order. */
  async runSeldom(): Promise<void> {
    if (this.current === null && performance.now() - this.lastRunAt < SELDOM_MS) return;
    this.current ??= this.run().finally(() => (this.current = null));
    await this.current;
  }

  /** Recovers the batches that began at least so long ago, whatever the option says. */
  async olderThan(ms: number): Promise<number> {
    this.lastRunAt = performance.now();
    let released = 0;
    for (const batch of await this.backend.staleBatches(ms)) {
      released += await this.backend.recoverBatch(batch);
    }
    return released;
  }
}
