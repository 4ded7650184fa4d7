import type { HandlerLogger } from '../contract/index.js';
import { ClosedError, NamespaceError, PoolExhaustedError } from '../errors/index.js';
import type { BrokerBackend } from './broker.backend.js';
import { untilAborted } from './until-aborted.js';

/** Before reads and moves recovery runs at most this often, in milliseconds. */
const SELDOM_MS = 1_000;
/** Before a verb recovery waits for a connection and retries for so long, in milliseconds. */
const PATIENCE_MS = 1_000;
const EVERYBODYS = [ClosedError, NamespaceError, PoolExhaustedError];

/**
 * Recovery of abandoned batches.
 *
 * A scan tells which look stale; each is then rolled back by token, source and creation time, so
 * that one which ended, vanished or was renewed since the scan is left alone.
 */
export class StaleBatches {
  private lastRunAt = -Infinity;
  private current: Promise<number> | null = null;
  private isFailing = false;

  constructor(
    private readonly backend: BrokerBackend,
    private readonly staleBatchMs: number,
    private readonly logger: HandlerLogger,
  ) {}

  /**
   * Before a verb, unless recovery is switched off; answers how many messages were given back. A
   * failure is only logged: what the verb's own step says is the truth about the verb.
   *
   * @throws what the verb would be told too: ClosedError, NamespaceError, PoolExhaustedError
   */
  async run(signal = AbortSignal.timeout(PATIENCE_MS)): Promise<number> {
    if (this.staleBatchMs < 0) return 0;
    try {
      const released = await this.olderThan(this.staleBatchMs, signal);
      this.isFailing = false;
      return released;
    } catch (error) {
      if (EVERYBODYS.some((kind) => error instanceof kind)) throw error;
      this.tell(error as Error);
      return 0;
    }
  }

  /** Unless it ran within the last second; calls during a run wait for it, and keep their order. */
  async runSeldom(signal?: AbortSignal): Promise<void> {
    if (this.current === null && performance.now() - this.lastRunAt < SELDOM_MS) return;
    this.current ??= this.run(signal).finally(() => (this.current = null));
    await (signal === undefined ? this.current : untilAborted(this.current, signal));
  }

  /**
   * Recovers the batches that began at least so long ago, whatever the option says.
   *
   * @throws what made recovery fail for a batch, after the others were tried
   */
  async olderThan(ms: number, signal?: AbortSignal): Promise<number> {
    this.lastRunAt = performance.now();
    const failures: unknown[] = [];
    let released = 0;
    for (const batch of await this.backend.staleBatches(ms, signal)) {
      try {
        released += await this.backend.endBatch('rollback', batch, signal);
      } catch (error) {
        // what may pass would befall the next batch too; what lasts is this one's own
        if ((error as { retryable?: unknown }).retryable !== false) throw error;
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
    return released;
  }

  /** One line a change of state, not one a run. */
  private tell({ message }: Error): void {
    if (!this.isFailing) {
      this.logger.warn(`the recovery of abandoned batches fails, trying on: ${message}`);
    }
    this.isFailing = true;
  }
}
