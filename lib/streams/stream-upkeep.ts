import type { UpkeepReport, UpkeepTask } from '../contract/index.js';
import type { CallOptions, KeySpace } from '../redis/index.js';
import { joinGroup } from './stream-group.js';
import { spaceOf, type StreamsCore } from './streams.core.js';
import { upkeepScript } from './streams.scripts.js';

/** Looking through all consumer names is worth it once in so long, in milliseconds. */
const SWEEP_EVERY_MS = 60_000;

/** Upkeep of one queue: moves what is due, trims, sweeps names; in one call, repeated while full. */
export class StreamUpkeep implements UpkeepTask {
  readonly name: string;
  readonly everyMs: number;
  private sweepAt = 0;
  private readonly space: KeySpace;
  private readonly toJoin: Set<string>;

  /** @param groups the groups of this process */
  constructor(
    private readonly core: StreamsCore,
    queue: string,
    groups: Iterable<string>,
  ) {
    this.name = `streams:${queue}`;
    this.everyMs = core.settings.promoteEveryMs;
    this.space = spaceOf(core, queue);
    this.toJoin = new Set(groups);
  }

  async run(signal?: AbortSignal): Promise<UpkeepReport> {
    const options = signal === undefined ? {} : { signal };
    await this.joinAll(options);
    const { promoteLimit, maxLen, maxAgeMs } = this.core.settings;
    const terms = {
      limit: promoteLimit,
      maxLen: maxLen ?? 0,
      maxAgeMs: maxAgeMs ?? 0,
      consumerIdleMs: this.idleToSweep(),
    };
    const { connection } = this.core;
    const { isFull, nextInMs } = await upkeepScript.run(connection, this.space, terms, options);
    if (isFull) return { nextInMs: 0 };
    // entries are settled without a word to upkeep, so there is always a next round
    return { nextInMs: nextInMs < 0 ? this.everyMs : Math.min(nextInMs, this.everyMs) };
  }

  /** A group that comes a moment later than its neighbour must not find the stream trimmed. */
  private async joinAll(options: CallOptions): Promise<void> {
    const { from } = this.core.settings;
    for (const group of this.toJoin) {
      await joinGroup(this.core, this.space, { group, from, options });
      this.toJoin.delete(group);
    }
  }

  /** 0 unless it is time to sweep. */
  private idleToSweep(): number {
    const { consumerIdleMs } = this.core.settings;
    const now = performance.now();
    if (now < this.sweepAt) return 0;
    this.sweepAt = now + Math.min(SWEEP_EVERY_MS, consumerIdleMs);
    return consumerIdleMs;
  }
}
