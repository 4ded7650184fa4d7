import type { Delivery } from '../../../lib/contract/index.js';
import { payloadsOf, useGroups } from './groups-fixture.js';

const groups = useGroups('batches');

const signal = () => new AbortController().signal;
const batchSource = (groupBatch: number, more: object = {}) =>
  groups.engine.source(groups.target({ groupBatch, ...more }));
const one = async (source: ReturnType<typeof batchSource>): Promise<Delivery> =>
  (await source.claim({ limit: 1, signal: signal() }))[0];

describe('a lease on several messages of a group', () => {
  test('is one claim by hand, acked message by message', async () => {
    await groups.publishAll('g', [1, 2, 3, 4]);
    const batch = await groups.transport.claim({ groupBatch: 3 });
    expect(payloadsOf(batch)).toEqual([1, 2, 3]);
    expect(batch.map(({ position }) => position)).toEqual([0, 1, 2]);
    expect(new Set(batch.map(({ token }) => token)).size).toBe(1);
    expect(batch.map(({ fence }) => fence)).toEqual([0, 1, 2].map((n) => batch[0].fence + n));
    for (const [at, message] of batch.entries()) {
      expect(await groups.transport.ack(message)).toBe(true);
      expect(await groups.transport.depth('g')).toBe(3 - at);
      const claimable = await groups.transport.claim();
      expect(claimable).toHaveLength(at === 2 ? 1 : 0);
    }
  });

  test('a failure gives back its message and those behind it, in order', async () => {
    await groups.publishAll('g', [1, 2, 3, 4]);
    const batch = await groups.transport.claim({ groupBatch: 4 });
    await groups.transport.ack(batch[0]);
    await groups.transport.nack(batch[1], { delayMs: 60_000 });
    expect(await groups.transport.inspect('g')).toMatchObject({ depth: 3, parked: true });
    expect(await groups.transport.ack(batch[1])).toBe(true); // the same token, while it is parked
    expect(payloadsOf(await groups.drain())).toEqual([3, 4]);
  });

  test('a message that failed comes again alone, with its attempt counted', async () => {
    await groups.publishAll('g', [1, 2, 3]);
    const batch = await groups.transport.claim({ groupBatch: 3 });
    await groups.transport.ack(batch[0]);
    await groups.transport.nack(batch[1]);
    const again = await groups.transport.claim({ groupBatch: 3 });
    expect(again).toMatchObject([{ payload: 2, attempt: 2 }]);
    await groups.transport.ack(again[0]);
    expect(payloadsOf(await groups.transport.claim({ groupBatch: 3 }))).toEqual([3]);
  });

  test('a crash on a later message is never counted against an earlier one', async () => {
    const { transport } = groups.process({ maxAttempts: 2 });
    await groups.publishAll('g', ['good', 'poison', 'last']);
    const runs: unknown[] = [];
    for (let crashes = 0; ;) {
      const batch = await transport.claim({ groupBatch: 3 });
      if (batch.length === 0) break;
      for (const message of batch) {
        runs.push(message.payload);
        if (message.payload === 'poison') {
          crashes += 1;
          break; // dies with the acks before it unsent
        }
        if (batch.length === 1 || crashes > 0) await transport.ack(message);
      }
      await groups.lapse('g');
    }
    expect(payloadsOf(await transport.deadLetters.list())).toEqual(['poison']);
    expect(runs.filter((payload) => payload === 'last')).toHaveLength(1);
    expect(await transport.depth()).toBe(0);
  });

  test('its dead letter is the failed message alone', async () => {
    await groups.publishAll('g', [1, 2, 3]);
    const batch = await groups.transport.claim({ groupBatch: 3 });
    await groups.transport.ack(batch[0]);
    await groups.transport.deadLetter(batch[1], 'no use');
    expect(payloadsOf(await groups.transport.deadLetters.list())).toEqual([2]);
    expect(payloadsOf(await groups.drain())).toEqual([3]);
  });

  test('one lease may hold batches of many groups in one claim', async () => {
    for (const group of ['a', 'b', 'c']) await groups.publishAll(group, [1, 2, 3]);
    const batch = await groups.transport.claim({ limit: 2, groupBatch: 2 });
    expect(batch.map(({ group, payload }) => [group, payload])).toEqual([
      ['a', 1],
      ['a', 2],
      ['b', 1],
      ['b', 2],
    ]);
    expect(new Set(batch.map(({ fence }) => fence)).size).toBe(4);
  });
});

describe('a source with batches', () => {
  test('hands one message of a group out at a time, the next when it is acked', async () => {
    await groups.publishAll('g', [1, 2, 3]);
    const source = batchSource(10, { slots: 5 });
    const stop = new AbortController();
    const first = await one(source);
    const early = source.claim({ limit: 4, signal: stop.signal });
    const acking = first.ack();
    const second = await one(source);
    expect(second.message).toMatchObject({ payload: 2, attempt: 1 });
    await acking;
    await second.ack();
    const third = await one(source);
    await third.ack();
    expect(payloadsOf([first.message, second.message, third.message])).toEqual([1, 2, 3]);
    stop.abort();
    expect(await early).toEqual([]);
    await source.close();
    expect(await groups.transport.depth()).toBe(0);
  });

  test('renews the lease as the batch goes on', async () => {
    await groups.publishAll('g', [1, 2]);
    const source = batchSource(2, { leaseMs: 60_000 });
    const first = await one(source);
    await groups.redis.pexpire(groups.key('lock', 'g'), 5_000);
    await first.ack();
    expect(await groups.redis.pttl(groups.key('lock', 'g'))).toBeGreaterThan(50_000);
    const second = await one(source);
    await second.extend();
    await second.ack();
    await source.close();
  });

  test('tells the message that runs when an ack before it is refused', async () => {
    await groups.publishAll('g', [1, 2, 3]);
    const source = batchSource(3);
    const first = await one(source);
    await groups.lapse('g');
    const acking = first.ack();
    const second = await one(source);
    const reasons: Error[] = [];
    second.onRevoked((reason) => reasons.push(reason));
    await expect(acking).rejects.toMatchObject({ code: 'LEASE_LOST' });
    expect(reasons).toHaveLength(1);
    await expect(second.ack()).rejects.toMatchObject({ code: 'LEASE_LOST' });
    await source.close();
    expect(payloadsOf(await groups.drain())).toEqual([1, 2, 3]);
  });

  test('refuses a late settle of an acked message, and the one that runs goes on', async () => {
    await groups.publishAll('g', [1, 2, 3]);
    const source = batchSource(3);
    const first = await one(source);
    await first.ack();
    const second = await one(source);
    const reasons: Error[] = [];
    second.onRevoked((reason) => reasons.push(reason));
    const late = [
      () => first.release(),
      () => first.nack({ error: new Error('late'), retryInMs: 1_000 }),
      () => first.nack({ error: new Error('late'), retryInMs: null }),
    ];
    for (const settle of late) await expect(settle()).rejects.toMatchObject({ code: 'LEASE_LOST' });
    await first.ack();
    expect(await groups.transport.inspect('g')).toMatchObject({ depth: 2, leased: 2 });
    await second.ack();
    await (await one(source)).ack();
    expect(reasons).toEqual([]);
    await source.close();
    expect(await groups.transport.stats()).toMatchObject({ backlog: 0, dead: 0 });
  });

  test('takes acks of consecutive messages in one call', async () => {
    await groups.publishAll('g', [1, 2, 3, 4]);
    const source = batchSource(4);
    const acks: Promise<void>[] = [];
    for (let n = 0; n < 3; n++) acks.push((await one(source)).ack());
    await Promise.all(acks);
    expect(await groups.transport.inspect('g')).toMatchObject({ depth: 1, leased: 1 });
    await (await one(source)).ack();
    await source.close();
    expect(await groups.transport.depth()).toBe(0);
  });

  test('begins no message of a lease that was lost while it waited for a slot', async () => {
    await groups.publishAll('g', [1, 2]);
    const source = batchSource(2, { leaseMs: 60 });
    const stop = new AbortController();
    const [first] = await source.claim({ limit: 1, signal: stop.signal });
    await groups.transport.pause();
    await groups.lapse('g');
    await expect(first.ack()).rejects.toMatchObject({ code: 'LEASE_LOST' });
    await groups.transport.resume();
    const [again] = await source.claim({ limit: 1, signal: stop.signal });
    expect(again.message).toMatchObject({ payload: 1, attempt: 2 });
    await again.ack();
    await source.close();
  });

  test('gives the rest back when it is closed, and when nobody claims any more', async () => {
    await groups.publishAll('g', [1, 2, 3]);
    const closed = batchSource(3);
    await (await one(closed)).ack();
    await closed.close();
    expect(await groups.transport.inspect('g')).toMatchObject({ depth: 2, leased: 0 });
    const stopped = batchSource(3);
    const stop = new AbortController();
    const [message] = await stopped.claim({ limit: 1, signal: stop.signal });
    stop.abort();
    await message.ack();
    expect(await groups.transport.inspect('g')).toMatchObject({ depth: 1, leased: 0 });
    await message.ack();
    await stopped.close();
    expect(payloadsOf(await groups.drain())).toEqual([3]);
  });
});
