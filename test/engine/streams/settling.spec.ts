import type { StreamConsumed } from '../../../lib/streams/index.js';
import { eventually } from '../../support/eventually.js';
import { bodiesOf, useStreams } from './streams-fixture.js';

const streams = useStreams('streams-settling');
const LOST = { code: 'LEASE_LOST' };

async function published(body = 'x'): Promise<StreamConsumed> {
  await streams.producer.publish(body);
  return streams.takeOne(streams.consumer());
}

describe('reject', () => {
  test('without requeue makes one dead letter with the fields of the seed', async () => {
    const one = await published('rejected');
    await one.reject();
    const [letter, ...more] = await streams.letters();
    expect(more).toEqual([]);
    expect(letter).toMatchObject({ body: 'rejected', reason: 'rejected', entry_id: one.entryId });
    expect(letter).toMatchObject({ group: 'default', attempts: '1' });
    expect(Math.abs(Number(letter.at) - (await streams.now()))).toBeLessThan(5_000);
    expect(await streams.pending()).toBe(0);
  });

  test('with requeue brings it after what waited already', async () => {
    await streams.producer.publishMany(['a', 'b']);
    const consumer = streams.consumer();
    const deliveries = consumer.deliveries();
    const first = (await deliveries.next()).value as StreamConsumed;
    await first.reject({ requeue: true });
    const second = (await deliveries.next()).value as StreamConsumed;
    const third = (await deliveries.next()).value as StreamConsumed;
    expect(bodiesOf([first, second, third])).toEqual(['a', 'b', 'a']);
    expect(third).toMatchObject({ id: first.id, attempt: 2, deliveryCount: 1 });
    expect(third.entryId).not.toBe(first.entryId);
    await third.reject();
    expect((await streams.letters())[0]).toMatchObject({ entry_id: first.entryId, attempts: '2' });
  });

  test('with requeue and a delay brings it when the delay is over', async () => {
    const one = await published();
    const since = performance.now();
    await one.reject({ requeue: true, delayMs: 200 });
    const again = await streams.takeOne(streams.consumer());
    expect(performance.now() - since).toBeGreaterThanOrEqual(199);
    expect(again).toMatchObject({ id: one.id, attempt: 2 });
  });

  test('shows a requeued message to its own group alone', async () => {
    const other = streams.consumer({ group: 'other' });
    const one = await published('once each');
    await (await streams.takeOne(other)).ack();
    await one.reject({ requeue: true });
    expect((await streams.takeOne(streams.consumer())).attempt).toBe(2);
    await streams.producer.publish('next');
    expect((await streams.takeOne(other)).body.toString()).toBe('next');
    expect(await streams.pending('other')).toBe(1);
  });

  test('with a delay but without requeue is refused, and the message is still held', async () => {
    const one = await published();
    await expect(one.reject({ delayMs: 200 })).rejects.toMatchObject({ option: 'delayMs' });
    await one.ack();
    expect(await streams.letters()).toEqual([]);
  });

  test('is refused for a wrong delay, and the message is still held', async () => {
    const one = await published();
    const rejecting = one.reject({ requeue: true, delayMs: NaN });
    await expect(rejecting).rejects.toMatchObject({ option: 'delayMs' });
    await one.ack();
  });
});

describe('a second settle', () => {
  test.each<[string, (one: StreamConsumed) => Promise<void>]>([
    ['ack', (one) => one.ack()],
    ['reject', (one) => one.reject()],
    ['requeue', (one) => one.reject({ requeue: true })],
    ['release', (one) => one.release()],
  ])('after %s changes nothing', async (_, settle) => {
    const one = await published();
    await settle(one);
    const before = await state();
    await one.ack().catch(() => undefined);
    await expect(one.reject()).rejects.toMatchObject(LOST);
    await expect(one.reject({ requeue: true })).rejects.toMatchObject(LOST);
    await expect(one.extend()).rejects.toMatchObject(LOST);
    expect(await state()).toEqual(before);
  });

  test('of a released message does not end the next run, by the same consumer too', async () => {
    await streams.producer.publish('x');
    const deliveries = streams.consumer().deliveries();
    const one = (await deliveries.next()).value as StreamConsumed;
    await one.release();
    const again = (await deliveries.next()).value as StreamConsumed;
    expect(again).toMatchObject({ entryId: one.entryId, deliveryCount: 1, attempt: 1 });
    await expect(one.ack()).rejects.toMatchObject(LOST);
    expect(await streams.pending()).toBe(1);
    await again.ack();
    expect(await streams.pending()).toBe(0);
    expect(await streams.redis.exists(streams.key('releases:default'))).toBe(0);
  });
});

test('a release makes the entry idle, takes its count back and wakes a consumer', async () => {
  const one = await published();
  const taking = streams.takeOne(streams.consumer({ blockMs: 30_000 }));
  await eventually(isWaiting);
  await one.release();
  expect(await taking).toMatchObject({ entryId: one.entryId, deliveryCount: 1 });
});

test('the name that holds what is given back goes with the last of it', async () => {
  await streams.producer.publishMany(['a', 'b', 'c']);
  const held = await streams.take(streams.consumer({ prefetch: 3 }), 3);
  await Promise.all(held.slice(0, 2).map((one) => one.release()));
  expect(await streams.consumerNames()).toContain('released');
  const again = await streams.take(streams.consumer({ prefetch: 3 }), 2);
  expect(await streams.consumerNames()).not.toContain('released');
  await Promise.all([...again, held[2]].map((one) => one.ack()));
});

test('settles of one tick share a call, and a stale one does not disturb the others', async () => {
  await streams.producer.publishMany(['a', 'b', 'c', 'd']);
  const held = await streams.take(streams.consumer({ prefetch: 4 }), 4);
  const steal = [held[1].entryId, 'JUSTID'] as const;
  await streams.redis.xclaim(streams.key('stream'), 'default', 'thief', 0, ...steal);
  const settling = [held[0].ack(), held[1].ack(), held[2].reject(), held[3].ack()];
  const outcomes = await Promise.allSettled(settling);
  expect(outcomes.map(({ status }) => status)).toEqual([
    'fulfilled',
    'rejected',
    'fulfilled',
    'fulfilled',
  ]);
  expect(await streams.pending()).toBe(1);
});

test('fences grow over groups, take-overs and a loss of all data', async () => {
  const fences: number[] = [];
  const note = (one: StreamConsumed) => fences.push(one.fence);
  const one = await published('a');
  note(one);
  await one.release();
  note(await streams.takeOne(streams.consumer()));
  note(await streams.takeOne(streams.consumer({ group: 'other' })));
  await streams.redis.del(streams.key('meta'));
  note(await published('b'));
  expect(fences).toEqual([...fences].sort((a, b) => a - b));
  expect(new Set(fences).size).toBe(4);
});

/** Whether a blocking read is under way; a name appears in the group with its first entry only. */
async function isWaiting(): Promise<boolean> {
  const clients = (await streams.redis.client('LIST')) as string;
  return /name=nest-redis-queue:streams:reads .*flags=b/.test(clients);
}

/** The queue as it stands: the stream, what is pending, what is delayed or dead. */
async function state(): Promise<unknown> {
  const stream = streams.key('stream');
  const pending = (await streams.redis.xpending(stream, 'default', '-', '+', 10)) as unknown[][];
  return [
    await streams.redis.xrange(stream, '-', '+'),
    pending.map(([id, consumer, , count]) => [id, consumer, count]),
    await streams.redis.zrange(streams.key('delayed'), '0', '-1'),
    await streams.letters(),
  ];
}
