import { eventually } from '../../support/eventually.js';
import { bodiesOf, collect, useStreams } from './streams-fixture.js';

const streams = useStreams('streams-takeover');
const LOST = { code: 'LEASE_LOST' };

/** Hands entries to a consumer that will never be heard of again. */
async function vanish(count: number, group = 'default'): Promise<string[]> {
  const stream = streams.key('stream');
  await streams.redis.xgroup('CREATE', stream, group, '0', 'MKSTREAM').catch(() => undefined);
  const read = ['COUNT', count, 'STREAMS', stream, '>'] as const;
  const reply = await streams.redis.xreadgroup('GROUP', group, 'vanished', ...read);
  const [[, entries]] = reply as [[string, [string, string[]][]]];
  return entries.map(([id]) => id);
}

/** Lets their lease be over, as if the time had passed. */
async function lapse(ids: readonly string[], group = 'default'): Promise<void> {
  const idle = ['IDLE', 3_600_000, 'JUSTID'] as const;
  for (let at = 0; at < ids.length; at += 100) {
    const page = ids.slice(at, at + 100);
    await streams.redis.call(
      'XCLAIM',
      [streams.key('stream'), group, 'vanished', 0, ...page, ...idle].map(String),
    );
  }
}

test('an entry whose holder vanished goes to another consumer after the lease', async () => {
  await streams.producer.publish('x');
  const since = performance.now();
  await vanish(1);
  const one = await streams.takeOne(streams.consumer({ leaseMs: 500 }));
  expect(performance.now() - since).toBeGreaterThanOrEqual(490);
  expect(performance.now() - since).toBeLessThan(1_500 + 500);
  expect(one).toMatchObject({ deliveryCount: 2, attempt: 2 });
  await one.ack();
  expect(await streams.pending()).toBe(0);
});

test('all of 500 are taken over, page by page, beside new ones', async () => {
  await streams.producer.publishMany(Array.from({ length: 500 }, (_, n) => `old ${n}`));
  await lapse(await vanish(500));
  await streams.producer.publishMany(['new']);
  const taken = await streams.take(streams.consumer({ prefetch: 50 }), 501);
  expect(new Set(bodiesOf(taken)).size).toBe(501);
  await Promise.all(taken.map((one) => one.ack()));
  expect(await streams.pending()).toBe(0);
});

test('two that take over share the entries', async () => {
  await streams.producer.publishMany(Array.from({ length: 300 }, (_, n) => String(n)));
  await lapse(await vanish(300));
  const consumers = [streams.consumer({ prefetch: 7 }), streams.consumer({ prefetch: 11 })];
  const reading = consumers.map((consumer) => collect(consumer));
  await eventually(async () => (await streams.pending()) === 0);
  await Promise.all(consumers.map((consumer) => consumer.stop()));
  const seen = (await Promise.all(reading)).flat();
  expect(seen).toHaveLength(300);
  expect(new Set(bodiesOf(seen)).size).toBe(300);
});

test('what runs longer than its lease is not handed to its own holder again', async () => {
  await streams.producer.publish('long');
  const consumer = streams.consumer({ leaseMs: 150, blockMs: 50 });
  const deliveries = consumer.deliveries();
  const long = await deliveries.next();
  const next = deliveries.next();
  const early = await Promise.race([next, new Promise((resolve) => setTimeout(resolve, 600))]);
  expect(early).toBeUndefined();
  await long.value?.ack();
  await streams.producer.publish('next');
  expect((await next).value?.body.toString()).toBe('next');
});

test('what lost its way to its consumer comes to it after the lease', async () => {
  await streams.producer.publish('x');
  const consumer = streams.consumer({ leaseMs: 300, blockMs: 50 });
  await vanish(1);
  const mine = ['IDLE', 3_600_000, 'JUSTID'] as const;
  const [id] = await streams.redis.xrange(streams.key('stream'), '-', '+').then(([[one]]) => [one]);
  const claim = [streams.key('stream'), 'default', consumer.name, 0, id, ...mine];
  await streams.redis.call('XCLAIM', claim.map(String));
  expect(await streams.takeOne(consumer)).toMatchObject({ entryId: id, deliveryCount: 2 });
});

test('a late settle after a take-over changes nothing', async () => {
  await streams.producer.publish('x');
  const late = await streams.takeOne(streams.consumer({ leaseMs: 100 }));
  const next = await streams.takeOne(streams.consumer({ leaseMs: 100, blockMs: 50 }));
  expect(next.entryId).toBe(late.entryId);
  await expect(late.ack()).rejects.toMatchObject(LOST);
  await expect(late.reject()).rejects.toMatchObject(LOST);
  await expect(late.extend()).rejects.toMatchObject(LOST);
  expect(await streams.letters()).toEqual([]);
  expect(await streams.pending()).toBe(1);
  await next.ack();
});

test('an extended lease is not taken over', async () => {
  await streams.producer.publish('x');
  const one = await streams.takeOne(streams.consumer({ leaseMs: 600 }));
  const other = streams.consumer({ leaseMs: 600, blockMs: 50 });
  const taking = streams.takeOne(other);
  let taken = false;
  void taking.then(() => (taken = true));
  for (let n = 0; n < 6; n++) {
    await new Promise((resolve) => setTimeout(resolve, 200));
    await one.extend();
  }
  expect(taken).toBe(false);
  await one.ack();
  await streams.producer.publish('next');
  expect((await taking).body.toString()).toBe('next');
});

describe('maxDeliveries', () => {
  test('counts take-overs: one more than that, and it is a dead letter', async () => {
    const id = await streams.producer.publish('kills its process');
    await vanish(1);
    for (let takeOver = 1; takeOver <= 2; takeOver++) {
      await lapse([id]);
      const consumer = streams.consumer({ maxDeliveries: 2 });
      expect((await streams.takeOne(consumer)).deliveryCount).toBe(1 + takeOver);
    }
    await lapse([id]);
    await streams.producer.publish('good');
    const one = await streams.takeOne(streams.consumer({ maxDeliveries: 2 }));
    expect(one.body.toString()).toBe('good');
    const [letter] = await streams.letters();
    expect(letter).toMatchObject({ reason: 'max_deliveries', entry_id: id, attempts: '3' });
    expect(await streams.pending()).toBe(1);
  });

  test('is not spent by releases', async () => {
    await streams.producer.publish('x');
    for (let n = 0; n < 5; n++) {
      const one = await streams.takeOne(streams.consumer({ maxDeliveries: 1 }));
      expect(one.deliveryCount).toBe(1);
      await one.release();
    }
    expect(await streams.letters()).toEqual([]);
  });
});

describe('ghosts', () => {
  test('entries deleted or trimmed while pending end once, the others are delivered', async () => {
    const ids = await streams.producer.publishMany(['a', 'b', 'c', 'd', 'e']);
    await vanish(5);
    await lapse(ids);
    await streams.redis.xdel(streams.key('stream'), ids[1], ids[3]);
    await streams.redis.xtrim(streams.key('stream'), 'MAXLEN', 2);
    const taken = await streams.take(streams.consumer({ prefetch: 5 }), 2);
    expect(bodiesOf(taken)).toEqual(['c', 'e']);
    expect(await streams.pending()).toBe(2);
    expect((await streams.transport().stats()).ghosts).toBe(3);
  });

  test('an entry deleted under its holder can still be settled, in every way', async () => {
    await streams.producer.publishMany(['a', 'b', 'c']);
    const held = await streams.take(streams.consumer({ prefetch: 3 }), 3);
    await streams.redis.xdel(streams.key('stream'), ...held.map(({ entryId }) => entryId));
    await held[0].ack();
    await held[1].reject();
    await held[2].reject({ requeue: true });
    expect(await streams.pending()).toBe(0);
    expect(await streams.letters()).toEqual([]);
  });
});
