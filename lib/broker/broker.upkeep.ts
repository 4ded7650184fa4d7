import type { UpkeepReport, UpkeepTask } from '../contract/index.js';
import type { BrokerCore } from './broker.core.js';

/** Upkeep of one queue that is worked on: lapsed leases, postponed retries, dead letters, batches. */
export class BrokerUpkeep implements UpkeepTask {
  readonly name: string;
  readonly everyMs: number;

  constructor(
    private readonly core: BrokerCore,
    private readonly queue: string,
  ) {
    this.name = `broker:${queue}`;
    this.everyMs = core.settings.promoteEveryMs;
  }

  async run(signal?: AbortSignal): Promise<UpkeepReport> {
    await this.core.recovery.runSeldom(signal);
    return this.core.backend.holds.upkeep(this.queue, this.core.settings.keepDead, signal);
  }
}
