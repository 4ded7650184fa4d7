import type { UpkeepReport, UpkeepTask } from '../contract/index.js';
import type { KeySpace } from '../redis/index.js';
import type { HeldJobs } from './held-jobs.js';
import type { JobsCore } from './jobs.core.js';
import { upkeepScript } from './jobs.scripts.js';

/** While jobs run here, a cancelled one must hear of it within a second. */
const LISTEN_EVERY_MS = 500;

interface UpkeepSubject {
  readonly queue: string;
  /** The deliveries of this process; left out where nothing runs by a loop. */
  readonly held?: HeldJobs;
}

/** Upkeep of one queue: promotes, recovers and trims in one call, repeated while it is full. */
export class JobUpkeep implements UpkeepTask {
  readonly name: string;
  readonly everyMs: number;
  private readonly held: HeldJobs | undefined;
  private seen = 0;

  constructor(
    private readonly core: JobsCore,
    private readonly space: KeySpace,
    { queue, held }: UpkeepSubject,
  ) {
    this.name = `jobs:${queue}`;
    this.everyMs = core.settings.promoteEveryMs;
    this.held = held;
  }

  onBusy(listener: (withinMs: number) => void): void {
    if (this.held) this.held.onBusy = () => listener(LISTEN_EVERY_MS);
  }

  async run(signal?: AbortSignal): Promise<UpkeepReport> {
    const { connection } = this.core;
    const options = signal === undefined ? {} : { signal };
    const reply = await upkeepScript.run(connection, this.space, this.terms(), options);
    this.seen = reply.seen;
    this.held?.revoke(reply.voided);
    if (reply.isFull) return { nextInMs: 0 };
    const nextInMs = reply.nextInMs < 0 ? Infinity : reply.nextInMs;
    return { nextInMs: this.held?.size ? Math.min(nextInMs, LISTEN_EVERY_MS) : nextInMs };
  }

  private terms() {
    const { promoteLimit, maxRecoveries, keepDone, keepFailed, keepCancelled } = this.core.settings;
    return {
      limit: promoteLimit,
      maxRecoveries,
      seen: this.seen,
      keepDone: keepDone.count,
      keepDoneMs: keepDone.ageMs,
      keepFailed: keepFailed.count,
      keepFailedMs: keepFailed.ageMs,
      keepCancelled: keepCancelled.count,
      keepCancelledMs: keepCancelled.ageMs,
    };
  }
}
