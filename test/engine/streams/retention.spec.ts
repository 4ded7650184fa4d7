import type { StreamTransport } from '../../../lib/streams/index.js';
import { createStreamsEngine } from '../../../lib/streams/index.js';
import { RedisConnection } from '../../../lib/redis/index.js';
import { eventually } from '../../support/eventually.js';
import { useStreams } from './streams-fixture.js';

const streams = useStreams('streams-retention');
const length = () => streams.redis.xlen(streams.key('stream'));

/** Runs the queue's upkeep until it has nothing left to do. */
async function upkeep(options: Parameters<typeof createStreamsEngine>[0]['options'] = {}) {
  const connection = new RedisConnection({ connection: { url: streams.url } });
  try {
    const { engine } = createStreamsEngine({ connection, prefix: streams.prefix, options });
    const [task] = engine.upkeep({ queue: streams.queue, slots: 1, leaseMs: 1, attempts: 1 });
    while ((await task.run()).nextInMs === 0);
  } finally {
    await connection.close();
  }
}

async function settleAll(count: number, group?: string): Promise<void> {
  const consumer = streams.consumer(group === undefined ? {} : { group });
  for (const one of await streams.take(consumer, count)) await one.ack();
}

const bodies = (count: number) => Array.from({ length: count }, (_, n) => String(n));

test('what every group has settled is trimmed, and nothing else', async () => {
  await streams.producer.publishMany(bodies(250));
  await streams.take(streams.consumer({ group: 'slow' }), 1);
  await settleAll(250, 'fast');
  await upkeep();
  expect(await length()).toBe(250);
  await streams.redis.xgroup('DESTROY', streams.key('stream'), 'slow');
  await upkeep();
  expect(await length()).toBe(0);
});

test('an entry that is pending holds back those after it, no others', async () => {
  await streams.producer.publishMany(bodies(300));
  const held = await streams.take(streams.consumer({ prefetch: 300 }), 300);
  await Promise.all(held.filter((_, at) => at !== 120).map((one) => one.ack()));
  await upkeep();
  expect(await length()).toBe(180);
  await held[120].ack();
  await upkeep();
  expect(await length()).toBe(0);
});

test('a group that is made beforehand misses nothing that others settle', async () => {
  const transport = streams.transport();
  expect(await transport.createGroup('slow')).toBe(true);
  expect(await transport.createGroup('slow')).toBe(false);
  await streams.producer.publishMany(bodies(20));
  await settleAll(20, 'fast');
  await upkeep();
  expect(await streams.take(streams.consumer({ group: 'slow', prefetch: 20 }), 20)).toHaveLength(
    20,
  );
});

test('groups of one process are made before anything is trimmed', async () => {
  const connection = new RedisConnection({ connection: { url: streams.url } });
  const { engine } = createStreamsEngine({ connection, prefix: streams.prefix });
  const target = { queue: streams.queue, slots: 1, leaseMs: 60_000, attempts: 1 };
  const sources = ['a', 'b'].map((group) => engine.source({ ...target, group }));
  await streams.producer.publish('x');
  await engine.upkeep(target)[0].run();
  const { groups } = await streams.transport().stats();
  expect(groups.map(({ name, waiting }) => [name, waiting])).toEqual([
    ['a', 1],
    ['b', 1],
  ]);
  await Promise.all(sources.map((source) => source.close()));
  await connection.close();
});

test('without a group nothing is trimmed', async () => {
  await streams.producer.publishMany(bodies(150));
  await upkeep();
  expect(await length()).toBe(150);
});

test('a consumer used alone trims by itself', async () => {
  await streams.producer.publishMany(bodies(3));
  const consumer = streams.transport({ promoteEveryMs: 20 }).consumer({ prefetch: 3 });
  for (const one of await streams.take(consumer, 3)) await one.ack();
  await eventually(async () => (await length()) === 0);
});

test('a backlog of 30,000 settled entries goes in bounded steps', async () => {
  for (let n = 0; n < 30; n++) await streams.producer.publishMany(bodies(1_000));
  const stream = streams.key('stream');
  await streams.redis.xgroup('CREATE', stream, 'default', '$');
  await upkeep();
  expect(await length()).toBe(0);
});

describe('an abandoned group', () => {
  let transport: StreamTransport;
  beforeEach(async () => {
    transport = streams.transport();
    await streams.producer.publishMany(bodies(10));
    await streams.redis.xgroup('CREATE', streams.key('stream'), 'forgotten', '0');
    await settleAll(10);
    await upkeep();
  });

  test('shows in stats and health', async () => {
    const { groups, length: entries } = await transport.stats();
    expect(entries).toBe(10);
    const forgotten = groups.find(({ name }) => name === 'forgotten');
    const [first] = await streams.redis.xrange(streams.key('stream'), '-', '+', 'COUNT', 1);
    expect(forgotten).toMatchObject({
      waiting: 10,
      running: 0,
      idleMs: null,
      neededFrom: first[0],
    });
    expect((await transport.health()).abandoned).toEqual(['forgotten']);
  });

  test('ends by dropGroup, and what it held back goes', async () => {
    expect(await transport.dropGroup('forgotten')).toBe(true);
    expect(await transport.dropGroup('forgotten')).toBe(false);
    await upkeep();
    expect(await length()).toBe(0);
    expect((await transport.health()).abandoned).toEqual([]);
  });
});

describe('a hard cap', () => {
  test('on the length drops the oldest, unread ones too, and tells how many', async () => {
    const transport = streams.transport({ maxLen: 100 });
    await streams.redis.xgroup('CREATE', streams.key('stream'), 'a', '0', 'MKSTREAM');
    for (let n = 0; n < 10; n++)
      await transport.appendMany(bodies(100).map((payload) => ({ payload })));
    await upkeep({ maxLen: 100 });
    expect(await length()).toBe(100);
    const { lost, groups } = await transport.stats();
    expect(lost).toBe(900);
    expect(groups[0]).toMatchObject({ name: 'a', lost: 900, waiting: 100 });
  });

  test('on the length does not count what a group has had', async () => {
    await streams.producer.publishMany(bodies(50));
    await settleAll(50);
    await streams.producer.publishMany(bodies(50));
    await upkeep({ maxLen: 20 });
    expect(await length()).toBe(20);
    expect((await streams.transport().stats()).lost).toBe(30);
  });

  test('on the age drops what is older', async () => {
    const old = (await streams.now()) - 60_000;
    for (let n = 0; n < 5; n++)
      await streams.redis.xadd(streams.key('stream'), `${old}-${n}`, 'body', String(n));
    await streams.producer.publish('young');
    await upkeep({ maxAgeMs: 30_000, promoteLimit: 2 });
    expect(await length()).toBe(1);
    expect((await streams.transport().stats()).lost).toBe(5);
  });

  test('is the only thing that drops unread entries', async () => {
    await streams.redis.xgroup('CREATE', streams.key('stream'), 'a', '0', 'MKSTREAM');
    for (let n = 0; n < 5; n++) await streams.producer.publishMany(bodies(200));
    await upkeep();
    expect(await length()).toBe(1_000);
    expect((await streams.transport().stats()).lost).toBe(0);
  });
});
