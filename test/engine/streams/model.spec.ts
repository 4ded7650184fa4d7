import { eventually } from '../../support/eventually.js';
import type { StreamConsumed, StreamConsumer } from '../../../lib/streams/index.js';
import { useStreams } from './streams-fixture.js';

const streams = useStreams('streams-model');
const GROUPS = ['a', 'b'];
const STEPS = 120;

/** A generator of numbers from 0 to 1 that a seed repeats. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return state / 2 ** 32;
  };
}

/** What a group has made of each message: settled at most once by an ack, or once by a reject. */
class Ledger {
  readonly settled = new Map<string, string>();

  settle(id: string, how: string): void {
    expect(this.settled.get(id)).toBeUndefined();
    this.settled.set(id, how);
  }
}

interface Reader {
  readonly group: string;
  readonly consumer: StreamConsumer;
  readonly held: StreamConsumed[];
  readonly isOver: Promise<void>;
}

class Model {
  readonly published: string[] = [];
  readonly ledgers = new Map(GROUPS.map((group) => [group, new Ledger()]));
  private readers: Reader[] = [];

  constructor(private readonly random: () => number) {}

  async step(): Promise<void> {
    const dice = this.random();
    if (dice < 0.3) return this.publish();
    if (dice < 0.4 || this.readers.length === 0) return this.join();
    const reader = this.pick(this.readers);
    if (dice < 0.45) return this.leave(reader);
    if (reader.held.length > 0) return this.settle(reader, this.random());
    await new Promise((resolve) => setTimeout(resolve, 2));
  }

  /** Readers that ack everything, until each group is through. */
  async end(): Promise<void> {
    for (const reader of [...this.readers]) await this.leave(reader);
    for (const group of GROUPS) this.join(group);
    await eventually(
      async () => {
        for (const reader of this.readers)
          while (reader.held.length > 0) await this.settle(reader, 0);
        return GROUPS.every((group) => this.settledBy(group) === this.published.length);
      },
      { withinMs: 20_000 },
    );
    for (const reader of [...this.readers]) await this.leave(reader);
  }

  settledBy(group: string): number {
    return this.ledgers.get(group)!.settled.size;
  }

  private async publish(): Promise<void> {
    const delayMs = this.random() < 0.3 ? Math.ceil(this.random() * 30) : 0;
    this.published.push(await streams.producer.publish('x', { delayMs }));
  }

  private join(group = this.pick(GROUPS)): void {
    const prefetch = 1 + Math.floor(this.random() * 4);
    const consumer = streams.consumer({ group, prefetch, leaseMs: 60_000, blockMs: 50 });
    const held: StreamConsumed[] = [];
    const isOver = (async () => {
      for await (const one of consumer.deliveries()) held.push(one);
    })();
    this.readers.push({ group, consumer, held, isOver });
  }

  /** What it holds goes back; nothing is left under its name. */
  private async leave(reader: Reader): Promise<void> {
    this.readers = this.readers.filter((one) => one !== reader);
    await reader.consumer.stop();
    await reader.isOver;
    await Promise.all(reader.held.map((one) => one.release()));
    await reader.consumer.close();
  }

  private async settle({ group, held }: Reader, dice: number): Promise<void> {
    const [one] = held.splice(Math.floor(this.random() * held.length), 1);
    const ledger = this.ledgers.get(group)!;
    const { id } = one;
    if (dice < 0.5) {
      ledger.settle(id, 'acked');
      await one.ack();
    } else if (dice < 0.7) {
      ledger.settle(id, 'rejected');
      await one.reject();
    } else if (dice < 0.85) {
      await one.reject({ requeue: true, delayMs: dice < 0.8 ? 0 : 10 });
    } else await one.release();
    await expect(one.reject()).rejects.toMatchObject({ code: 'LEASE_LOST' });
  }

  private pick<T>(from: readonly T[]): T {
    return from[Math.floor(this.random() * from.length)];
  }
}

test.each([1, 2, 3, 4, 5, 6])(
  'seed %i: every group settles every message once, whatever happens in between',
  async (seed) => {
    const stream = streams.key('stream');
    const model = new Model(randomFrom(seed));
    for (const group of GROUPS)
      await streams.redis.xgroup('CREATE', stream, group, '0', 'MKSTREAM').catch(() => undefined);
    for (let step = 0; step < STEPS; step++) await model.step();
    await model.end();
    for (const group of GROUPS) {
      expect(await streams.pending(group)).toBe(0);
      expect(await streams.consumerNames(group)).toEqual([]);
      const rejected = [...model.ledgers.get(group)!.settled.values()].filter(
        (how) => how === 'rejected',
      );
      const letters = (await streams.letters()).filter((letter) => letter.group === group);
      expect(letters).toHaveLength(rejected.length);
    }
    expect(await streams.redis.zcard(streams.key('delayed'))).toBe(0);
    const left = (await streams.keys()).filter((key) => key.startsWith('releases'));
    expect(left).toEqual([]);
  },
  60_000,
);
