import type { UpkeepReport } from '../contract/index.js';
import type { RetentionLimits } from '../delivery/index.js';
import type { BrokerHolds, HoldOutcome, HoldReply, HoldRequest } from './broker.holds.js';
import {
  deadLettersScript,
  endDeadLetterScript,
  extendScript,
  recoverScript,
  settleScript,
  upkeepScript,
} from './hold.scripts.js';
import { formatId } from './ids.js';
import type { RedisStorage } from './redis.storage.js';

/** How many rows one upkeep script gives back or trims; repeated while it is full. */
const UPKEEP_LIMIT = 100;
/** How many rows one call of a recovery that was asked for gives back. */
const RECOVER_LIMIT = 1_000;

/** Held reads of the Redis backend. */
export class RedisHolds implements BrokerHolds {
  constructor(private readonly storage: RedisStorage) {}

  settle({ queue, outcomes, limit, leaseMs, attempts, keepDead }: HoldRequest): Promise<HoldReply> {
    return this.storage.run(settleScript, {
      ...{ queue, limit, leaseMs, attempts, keepDead: keepDead.count },
      outcomes: outcomes.flatMap(asArguments),
    });
  }

  extend(
    queue: string,
    holds: readonly { readonly id: bigint; readonly fence: number }[],
    leaseMs: number,
  ): Promise<readonly boolean[]> {
    const flat = holds.flatMap(({ id, fence }) => [formatId(id), String(fence)]);
    return this.storage.run(extendScript, { queue, leaseMs, holds: flat });
  }

  async upkeep(
    queue: string,
    { count, ageMs }: RetentionLimits,
    signal?: AbortSignal,
  ): Promise<UpkeepReport> {
    const args = { queue, limit: UPKEEP_LIMIT, keepDead: count, keepDeadMs: ageMs };
    const reply = await this.storage.run(upkeepScript, args, { signal });
    if (reply.isFull) return { nextInMs: 0 };
    return { nextInMs: reply.nextInMs < 0 ? Infinity : reply.nextInMs };
  }

  async recover(): Promise<number> {
    let count = 0;
    for (let cursor = '0'; ;) {
      const page = await this.storage.run(recoverScript, { cursor, limit: RECOVER_LIMIT });
      count += page.held;
      if (page.isDone) return count;
      cursor = page.cursor;
    }
  }

  deadLetters(queue: string, page: { readonly offset: number; readonly limit: number }) {
    return this.storage.run(deadLettersScript, { queue, ...page });
  }

  endDeadLetter(verb: 'redrive' | 'drop', queue: string, id: bigint): Promise<boolean> {
    return this.storage.run(endDeadLetterScript, { verb, queue, id: formatId(id) });
  }
}

function asArguments({ verb, id, fence, delayMs, reason }: HoldOutcome): string[] {
  return [verb, formatId(id), String(fence), String(delayMs), reason];
}
