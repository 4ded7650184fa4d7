import { StreamTransport } from '../../../lib/streams/index.js';
import { eventually } from '../../support/eventually.js';
import { FaultyProxy } from '../../support/faulty-proxy.js';
import { collect, useStreams } from './streams-fixture.js';

const streams = useStreams('streams-readiness');
let proxy: FaultyProxy;

beforeEach(async () => (proxy = await FaultyProxy.start(Number(new URL(streams.url).port))));
afterEach(() => proxy.stop());

function transport(): StreamTransport {
  const { prefix, queue, logger } = streams;
  return new StreamTransport({
    url: proxy.url,
    prefix,
    queue,
    logger,
    blockMs: 100,
    connectTimeoutMs: 300,
    commandTimeoutMs: 300,
  });
}

test('a transport that was never asked for anything is not connected, after a success it is', async () => {
  const one = transport();
  expect(one.connected).toBe(false);
  await one.append('x');
  expect(one.connected).toBe(true);
  await one.close();
});

test('connected is false while the server is away, and true again after', async () => {
  const one = transport();
  const consumer = one.consumer();
  const bodies: string[] = [];
  const reading = collect(consumer, (seen) => (bodies.push(seen.body.toString()), seen.ack()));
  await eventually(() => consumer.connected);
  proxy.refuse();
  await eventually(() => !consumer.connected && !one.connected);
  proxy.resume();
  await eventually(() => consumer.connected && one.connected);
  await one.append('x');
  await eventually(() => bodies.length === 1);
  await one.close();
  expect(await reading).toHaveLength(1);
});

test('health tells the counters, and answers also while the server is away', async () => {
  const one = transport();
  await one.appendMany([{ payload: 1 }, { payload: 2 }]);
  expect(await one.health()).toMatchObject({
    connected: true,
    waiting: 2,
    running: 0,
    error: null,
  });
  await streams.takeOne(streams.consumer());
  const health = await one.health();
  expect(health).toMatchObject({ connected: true, waiting: 1, running: 1, abandoned: [] });
  expect(health.oldestWaitingMs).toBeGreaterThanOrEqual(0);
  proxy.refuse();
  const away = await one.health();
  expect(away).toMatchObject({ connected: false, waiting: 1, running: 1 });
  expect(away.error).toContain('connection');
  await one.close();
});

test('an error of the server is no lost connection', async () => {
  const one = transport();
  const consumer = one.consumer();
  const reading = collect(consumer);
  await eventually(() => consumer.connected);
  await streams.redis.xgroup('DESTROY', streams.key('stream'), 'default');
  await eventually(async () => (await one.stats()).groups.length === 1);
  expect(consumer.connected).toBe(true);
  await one.close();
  await reading;
});
