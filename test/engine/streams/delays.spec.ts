import { eventually } from '../../support/eventually.js';
import { bodiesOf, collect, useStreams } from './streams-fixture.js';

const streams = useStreams('streams-delays');

test('a delayed message comes when it is due and not before', async () => {
  const taking = streams.takeOne(streams.consumer());
  const since = performance.now();
  await streams.producer.publish('late', { delayMs: 500 });
  const one = await taking;
  expect(performance.now() - since).toBeGreaterThanOrEqual(499);
  expect(performance.now() - since).toBeLessThan(2_500);
  expect(one.body.toString()).toBe('late');
});

test('a consumer that waits wakes for it, and not once a block', async () => {
  const consumer = streams.consumer({ blockMs: 30_000 });
  const taking = streams.takeOne(consumer);
  await eventually(() => streams.consumerNames().catch(() => false));
  await streams.producer.publish('far', { delayMs: 3_600_000 });
  await streams.producer.publish('near', { delayMs: 100 });
  expect((await taking).body.toString()).toBe('near');
});

test('nothing moves it while no consumer runs', async () => {
  await streams.producer.publish('late', { delayMs: 50 });
  await eventually(async () => {
    const [, due] = await streams.redis.zrange(streams.key('delayed'), '0', '-1', 'WITHSCORES');
    return Number(due) < (await streams.now());
  });
  expect(await streams.redis.exists(streams.key('stream'))).toBe(0);
  expect((await streams.takeOne(streams.consumer())).body.toString()).toBe('late');
});

test('two equal bodies for one instant are two messages', async () => {
  await Promise.all([1, 2].map(() => streams.producer.publish('same', { delayMs: 20 })));
  expect(bodiesOf(await streams.take(streams.consumer(), 2))).toEqual(['same', 'same']);
});

test('its id, its headers and its time of publishing stay', async () => {
  const published = await streams.now();
  const transport = streams.transport();
  const id = await transport.append({ n: 1 }, { delayMs: 30, headers: { h: '1' } });
  const one = await streams.takeOne(transport.consumer());
  expect([one.id, one.headers, one.attempt]).toEqual([id, { h: '1' }, 1]);
  const [[, fields]] = await streams.redis.xrange(streams.key('stream'), '-', '+');
  const since = Number(fields[fields.indexOf('since') + 1]);
  expect(since).toBeGreaterThanOrEqual(published);
  expect(since).toBeLessThan(Number(one.entryId.split('-')[0]));
});

test('any number of movers moves each message once', async () => {
  const count = 500;
  const messages = Array.from({ length: count }, (_, n) => ({ body: String(n), delayMs: 40 }));
  await streams.producer.publishMany(messages);
  const consumers = Array.from({ length: 4 }, () => streams.consumer({ prefetch: 20 }));
  const reading = consumers.map((consumer) => collect(consumer));
  await eventually(
    async () => (await streams.redis.xlen(streams.key('stream'))) === 0 && drained(),
  );
  await Promise.all(consumers.map((consumer) => consumer.stop()));
  const seen = (await Promise.all(reading)).flat();
  expect(new Set(bodiesOf(seen)).size).toBe(count);
  expect(seen).toHaveLength(count);
});

test('a damaged member does not stop the others', async () => {
  await streams.redis.zadd(streams.key('delayed'), 1, 'not a frame');
  await streams.producer.publish('good', { delayMs: 10 });
  expect(bodiesOf(await streams.take(streams.consumer(), 2))).toEqual(['not a frame', 'good']);
});

test.each([NaN, Infinity, -1, 1.5, '5', null, new Date()])(
  'a delay of %p is refused',
  async (delayMs) => {
    const publishing = streams.producer.publish('x', { delayMs: delayMs as number });
    await expect(publishing).rejects.toMatchObject({ code: 'INVALID_OPTION', option: 'delayMs' });
    expect(await streams.keys()).toEqual([]);
  },
);

test('a delay of sixty days is kept, and costs an idle consumer nothing', async () => {
  const delayMs = 60 * 86_400_000;
  const before = await streams.now();
  await streams.producer.publish('x', { delayMs });
  const [, due] = await streams.redis.zrange(streams.key('delayed'), '0', '-1', 'WITHSCORES');
  expect(Number(due)).toBeGreaterThanOrEqual(before + delayMs);
});

async function drained(): Promise<boolean> {
  return (
    (await streams.redis.zcard(streams.key('delayed'))) === 0 && (await streams.pending()) === 0
  );
}
