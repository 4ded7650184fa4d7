import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Redis } from 'ioredis';

/** One handled event, as a worker booked it. */
export interface Entry {
  /** Which of its customer's events. */
  readonly number: number;
  readonly worker: string;
}

/**
 * Books an entry unless a later holder of the same customer has booked one: a worker that was held
 * up beyond its lease must not write any more. A database would say `WHERE fence < ?`.
 */
const BOOK = `
local last = string.match(redis.call('LINDEX', KEYS[1], -1) or '', '^%d+ (%d+) ')
if last and tonumber(last) > tonumber(ARGV[2]) then return 0 end
redis.call('RPUSH', KEYS[1], ARGV[1] .. ' ' .. ARGV[2] .. ' ' .. ARGV[3])
return 1`;

/** The shop's books: a list a customer, in Redis too, for want of a database. */
@Injectable()
export class Books implements OnApplicationShutdown {
  private readonly redis: Redis;

  constructor(
    redisUrl: string,
    private readonly prefix: string,
  ) {
    this.redis = new Redis(redisUrl, { maxRetriesPerRequest: 3 });
    this.redis.on('error', () => undefined); // told by the call that fails
  }

  /** Whether the entry was booked; not, when the fence is older than the last one. */
  async book(customer: string, entry: Entry, fence: number): Promise<boolean> {
    const { number, worker } = entry;
    return (await this.redis.eval(BOOK, 1, this.keyOf(customer), number, fence, worker)) === 1;
  }

  /** What was booked for a customer, in the order of booking. */
  async entriesOf(customer: string): Promise<Entry[]> {
    const lines = await this.redis.lrange(this.keyOf(customer), 0, -1);
    return lines.map((line) => {
      const [number, , worker] = line.split(' ');
      return { number: Number(number), worker };
    });
  }

  /** Leaves no key of this run behind, the topic's included. */
  async clear(): Promise<void> {
    for await (const keys of this.redis.scanStream({ match: `${this.prefix}:*`, count: 1_000 })) {
      const found = keys as string[];
      if (found.length > 0) await this.redis.unlink(found);
    }
  }

  onApplicationShutdown(): void {
    this.redis.disconnect();
  }

  private keyOf(customer: string): string {
    return `${this.prefix}:books:${customer}`;
  }
}
