import type { BrokerBackend } from './broker.backend.js';
import type { BrokerSettings } from './broker.options.js';
import type { QueueStats } from './message.js';

/** Claimed rows of one queue that one script deletes. */
const VACUUM_ROWS = 1_000;
/** From this share of claimed rows on a vacuum is due. */
const DUE_SHARE = 0.1;
/** So many claimed rows are too many, whatever their share. */
const DUE_COUNT = 10_000;

/** Deletes the claimed rows of all queues, call by call; answers how many. */
export async function vacuumAll(backend: BrokerBackend): Promise<number> {
  let deleted = 0;
  for await (const { queue, claimed } of backend.queues()) {
    for (let left = claimed; left > 0; left -= VACUUM_ROWS) {
      deleted += await backend.vacuum(queue, VACUUM_ROWS);
    }
  }
  return deleted;
}

/** Looks after every so many mutations of this process whether a vacuum is due, in the background. */
export class AutoVacuum {
  private mutations = 0;
  private running: Promise<void> | null = null;

  constructor(
    private readonly backend: BrokerBackend,
    private readonly settings: Pick<BrokerSettings, 'autoVacuum' | 'vacuumEvery'>,
  ) {}

  /** Takes note of one mutation. */
  count(): void {
    const { autoVacuum, vacuumEvery } = this.settings;
    if (!autoVacuum || ++this.mutations < vacuumEvery || this.running !== null) return;
    this.mutations = 0;
    this.running = this.run()
      .catch(() => undefined) // claimed rows cost space, nothing else: the next time will do
      .finally(() => (this.running = null));
  }

  /** Resolves when no vacuum is under way. */
  async idle(): Promise<void> {
    await this.running;
  }

  private async run(): Promise<void> {
    const queues: QueueStats[] = [];
    for await (const stats of this.backend.queues()) queues.push(stats);
    const claimed = queues.reduce((sum, stats) => sum + stats.claimed, 0);
    const total = queues.reduce((sum, stats) => sum + stats.total, 0);
    if (claimed === 0 || (claimed < total * DUE_SHARE && claimed <= DUE_COUNT)) return;
    for (const stats of queues) {
      if (stats.claimed > 0) await this.backend.vacuum(stats.queue, VACUUM_ROWS);
    }
  }
}
