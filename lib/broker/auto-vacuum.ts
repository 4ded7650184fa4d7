import type { BrokerBackend } from './broker.backend.js';
import type { BrokerSettings } from './broker.options.js';
import type { QueueStats } from './message.js';

/** Claimed rows of one queue that one script deletes. */
const VACUUM_ROWS = 1_000;
/** From this share of claimed rows on a vacuum is due. */
const DUE_SHARE = 0.1;
/** So many claimed rows are too many, whatever their share. */
const DUE_COUNT = 10_000;

type Counts = Pick<QueueStats, 'queue' | 'claimed' | 'total'>;

/** Deletes the claimed rows of these queues, or of all, call by call; answers how many. */
export async function vacuumAll(
  backend: BrokerBackend,
  queues: AsyncIterable<Counts> | Iterable<Counts> = backend.queues(),
  signal?: AbortSignal,
): Promise<number> {
  let deleted = 0;
  for await (const { queue, claimed } of queues) {
    for (let left = claimed; left > 0 && signal?.aborted !== true; left -= VACUUM_ROWS) {
      deleted += await backend.vacuum(queue, VACUUM_ROWS, signal);
    }
  }
  return deleted;
}

/** Looks after every so many changed rows of this process whether a vacuum is due, and runs it. */
export class AutoVacuum {
  private readonly stopper = new AbortController();
  private mutations = 0;
  private running: Promise<void> | null = null;

  constructor(
    private readonly backend: BrokerBackend,
    private readonly settings: Pick<BrokerSettings, 'autoVacuum' | 'vacuumEvery'>,
  ) {}

  /** Takes note of rows that were changed. */
  count(rows: number): void {
    const { autoVacuum, vacuumEvery } = this.settings;
    if (!autoVacuum || (this.mutations += rows) < vacuumEvery || this.running !== null) return;
    this.mutations = 0;
    this.running = this.run()
      .catch(() => undefined) // claimed rows cost space, nothing else: the next time will do
      .finally(() => (this.running = null));
  }

  /** Ends a vacuum under way after its call in flight; resolves then. */
  async close(): Promise<void> {
    this.stopper.abort();
    await this.running;
  }

  private async run(): Promise<void> {
    const { signal } = this.stopper;
    const queues: Counts[] = [];
    for await (const counts of this.backend.queues(signal)) queues.push(counts);
    const claimed = queues.reduce((sum, counts) => sum + counts.claimed, 0);
    const total = queues.reduce((sum, counts) => sum + counts.total, 0);
    if (claimed === 0 || (claimed < total * DUE_SHARE && claimed <= DUE_COUNT)) return;
    await vacuumAll(this.backend, queues, signal);
  }
}
