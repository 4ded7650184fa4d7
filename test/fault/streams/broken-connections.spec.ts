import { StreamConsumer } from '../../../lib/streams/index.js';
import { eventually } from '../../support/eventually.js';
import { FaultyProxy } from '../../support/faulty-proxy.js';
import { startServer } from '../../support/redis-server.js';
import { collect, StreamsFixture, useStreams } from '../../engine/streams/streams-fixture.js';

const streams = useStreams('streams-cut');
let proxy: FaultyProxy;
let consumer: StreamConsumer;
let bodies: string[];
let reading: Promise<unknown>;

beforeEach(async () => {
  proxy = await FaultyProxy.start(Number(new URL(streams.url).port));
  bodies = [];
  const { prefix, queue, logger } = streams;
  const limits = { connectTimeoutMs: 500, commandTimeoutMs: 500, blockMs: 300, leaseMs: 1_000 };
  consumer = new StreamConsumer({ url: proxy.url, prefix, queue, logger, ...limits, prefetch: 10 });
  reading = collect(consumer, async (one) => {
    bodies.push(one.body.toString());
    await one.ack().catch(() => undefined); // its lease brings it back
  });
  await streams.producer.publish('first');
  await eventually(() => bodies.length === 1);
});

afterEach(async () => {
  await consumer.close();
  await reading;
  await proxy.stop();
});

const arrives = (body: string) => eventually(() => bodies.includes(body), { withinMs: 20_000 });

test('cuts while entries flow: nothing is lost', async () => {
  const all = Array.from({ length: 400 }, (_, n) => `n${n}`);
  for (let at = 0; at < 400; at += 40) {
    await streams.producer.publishMany(all.slice(at, at + 40));
    if (at % 80 === 0) proxy.cut();
  }
  await eventually(() => all.every((body) => bodies.includes(body)), { withinMs: 20_000 });
  await eventually(async () => (await streams.pending()) === 0, { withinMs: 20_000 });
});

test('a black-holed socket is replaced by the watchdog', async () => {
  proxy.blackHole();
  await eventually(() => !consumer.connected, { withinMs: 10_000 });
  await streams.producer.publish('meanwhile');
  proxy.resume();
  await arrives('meanwhile');
  await eventually(() => consumer.connected);
});

test('a link whose replies are lost comes back, and what they brought runs after the lease', async () => {
  proxy.dropReplies();
  await streams.producer.publishMany(['a', 'b']);
  await eventually(async () => (await streams.pending()) > 0);
  await eventually(() => !consumer.connected, { withinMs: 10_000 });
  proxy.resume();
  await arrives('a');
  await arrives('b');
  await eventually(async () => (await streams.pending()) === 0, { withinMs: 10_000 });
});

test('replies that are lost under load are asked for again: no lease has to end', async () => {
  const { prefix, queue, logger } = streams;
  const limits = { connectTimeoutMs: 500, commandTimeoutMs: 500, leaseMs: 60_000, prefetch: 10 };
  await consumer.close(); // whose blocking read may lose what only its lease brings back
  await streams.producer.publishMany(Array.from({ length: 600 }, (_, n) => `n${n}`));
  consumer = new StreamConsumer({ url: proxy.url, prefix, queue, logger, ...limits });
  const runs: string[] = [];
  reading = collect(consumer, async (one) => {
    runs.push(one.body.toString());
    await new Promise((resolve) => setTimeout(resolve, 2));
    await one.ack();
  });
  for (const share of [50, 150, 250, 350]) {
    await eventually(() => runs.length >= share, { withinMs: 20_000 });
    proxy.dropReplies();
    await new Promise((resolve) => setTimeout(resolve, 20));
    proxy.cut();
    proxy.resume();
  }
  await eventually(async () => runs.length === 600 && (await streams.pending()) === 0, {
    withinMs: 20_000,
  });
  expect(new Set(runs).size).toBe(600);
});

test.each(['TIMEOUT', 'ERROR'])('CLIENT UNBLOCK %s of the reads is survived', async (how) => {
  for (let n = 0; n < 3; n++) {
    const clients = (await streams.redis.client('LIST')) as string;
    const reads = clients.split('\n').filter((line) => /:streams:reads .*flags=b/.test(line));
    for (const line of reads)
      await streams.redis.call('CLIENT', 'UNBLOCK', /^id=(\d+)/.exec(line)![1], how);
    await streams.producer.publish(`${how} ${n}`);
    await arrives(`${how} ${n}`);
  }
});

test('close in a black hole is bounded', async () => {
  proxy.blackHole();
  const since = performance.now();
  await consumer.close();
  expect(performance.now() - since).toBeLessThan(8_000);
});

test('a server that is down for ten seconds: the iterator never throws and goes on after', async () => {
  const server = await startServer({ appendonly: true, keepDir: true });
  const own = new StreamsFixture('streams-down', server.url);
  own.open();
  own.redis.on('error', () => undefined);
  const seen: string[] = [];
  const running = own.consumer({ connectTimeoutMs: 500, commandTimeoutMs: 500 });
  const done = collect(running, (one) => (seen.push(one.body.toString()), one.ack()));
  await own.producer.publish('before');
  await eventually(() => seen.length === 1);
  await own.producer.publish('delayed', { delayMs: 5_000 });
  await server.stop({ keepDir: true });
  const lines = own.logger.lines.length;
  await new Promise((resolve) => setTimeout(resolve, 10_000));
  expect(running.connected).toBe(false);
  expect(own.logger.lines.length - lines).toBeLessThan(20);
  const again = await server.restart();
  await eventually(() => running.connected, { withinMs: 15_000 });
  await eventually(() => seen.includes('delayed'), { withinMs: 15_000 });
  await running.stop();
  await done;
  await own.close();
  own.redis.disconnect();
  await again.stop();
}, 60_000);

test('a consumer that never finds a server stops at once', async () => {
  const never = new StreamConsumer({
    url: 'redis://127.0.0.1:1',
    queue: 'x',
    connectTimeoutMs: 300,
    logger: streams.logger,
  });
  const deliveries = collect(never);
  await new Promise((resolve) => setTimeout(resolve, 400));
  expect(never.connected).toBe(false);
  const since = performance.now();
  await never.close();
  expect(await deliveries).toEqual([]);
  expect(performance.now() - since).toBeLessThan(4_000);
});
