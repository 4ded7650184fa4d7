import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Redis } from 'ioredis';
import { checksumOf, combine } from './checksum.js';
import type { AuditEntry } from './audit.stream.js';

/** What one group has seen of the log. */
export interface SeenByGroup {
  /** How many different entries. */
  readonly entries: number;
  /** Over all of them, whatever their order. */
  readonly checksum: number;
  /** What the group counts, added up. */
  readonly total: number;
  /** How often an entry was handled, repeats counted. */
  readonly runs: number;
}

/**
 * What the groups have seen, kept in Redis: at least once means that an entry may be handled
 * twice, so each is noted under its id, and a second note says the same as the first.
 */
@Injectable()
export class Ledger implements OnApplicationShutdown {
  private readonly redis: Redis;

  constructor(
    url: string,
    private readonly prefix: string,
  ) {
    this.redis = new Redis(url, { maxRetriesPerRequest: 1 });
    this.redis.on('error', () => undefined); // told by the calls
  }

  /** Notes an entry as handled by a group; `amount` is what the group counts. */
  async note(group: string, id: string, of: { entry: AuditEntry; amount: number }): Promise<void> {
    const seen = `${checksumOf(of.entry)} ${of.amount}`;
    const notes = this.redis.multi().hset(this.seenKey(group), id, seen);
    await notes.incr(this.runsKey(group)).exec();
  }

  /** How many different entries a group has handled so far. */
  count(group: string): Promise<number> {
    return this.redis.hlen(this.seenKey(group));
  }

  async seenBy(group: string): Promise<SeenByGroup> {
    const notes = await this.redis.hvals(this.seenKey(group));
    const pairs = notes.map((note) => note.split(' ').map(Number));
    return {
      entries: notes.length,
      checksum: pairs.reduce((sum, [checksum]) => combine(sum, checksum), 0),
      total: pairs.reduce((sum, [, amount]) => sum + amount, 0),
      runs: Number(await this.redis.get(this.runsKey(group))),
    };
  }

  /** Removes every key of the run, those of the stream too. */
  async clear(): Promise<void> {
    const keys = await this.redis.keys(`${this.prefix}*`);
    if (keys.length > 0) await this.redis.unlink(keys);
  }

  async onApplicationShutdown(): Promise<void> {
    await this.redis.quit().catch(() => undefined);
  }

  private seenKey(group: string): string {
    return `${this.prefix}-seen:${group}`;
  }

  private runsKey(group: string): string {
    return `${this.prefix}-runs:${group}`;
  }
}
