import { eventually } from '../../support/eventually.js';
import { startServer, type TestServer } from '../../support/redis-server.js';
import { StreamsFixture } from '../../engine/streams/streams-fixture.js';

// a server of its own, since its memory is filled
let server: TestServer;
let streams: StreamsFixture;

beforeAll(async () => {
  server = await startServer({ args: ['--maxmemory-policy', 'noeviction'] });
  streams = new StreamsFixture('streams-oom', server.url);
});
beforeEach(() => streams.open());
afterEach(async () => {
  await streams.redis.config('SET', 'maxmemory', '0');
  await streams.close();
});
afterAll(async () => {
  await streams.end();
  await server.stop();
});

const fill = () => streams.redis.config('SET', 'maxmemory', '1mb');

test('acks go through, what would be stored is refused and stays held', async () => {
  await streams.producer.publishMany(['a', 'b', 'c', 'd']);
  const held = await streams.take(streams.consumer({ prefetch: 4 }), 4);
  await fill();
  await held[0].ack();
  const refused = { code: 'OPERATION_FAILED', retryable: true, outcomeAmbiguous: false };
  await expect(held[1].reject()).rejects.toMatchObject(refused);
  await expect(held[2].reject({ requeue: true })).rejects.toMatchObject(refused);
  await expect(held[3].reject({ requeue: true, delayMs: 5 })).rejects.toMatchObject(refused);
  await expect(streams.producer.publish('x')).rejects.toMatchObject(refused);
  await expect(streams.producer.publishMany(['x', 'y'])).rejects.toMatchObject(refused);
  expect(await streams.pending()).toBe(3);
  await streams.redis.config('SET', 'maxmemory', '0');
  await held[1].reject();
  await held[2].reject({ requeue: true });
  await held[3].reject({ requeue: true, delayMs: 5 });
  expect(await streams.letters()).toHaveLength(1);
  expect(await streams.pending()).toBe(0);
});

test('what waits is delivered all the same, with fences that grow', async () => {
  await streams.producer.publishMany(['a', 'b']);
  await fill();
  const taken = await streams.take(streams.consumer(), 2);
  expect(taken[1].fence).toBeGreaterThan(taken[0].fence);
  await Promise.all(taken.map((one) => one.ack()));
});

test('what is due waits until there is room, and is not lost', async () => {
  await streams.producer.publish('late', { delayMs: 50 });
  await fill();
  const taking = streams.takeOne(streams.consumer({ blockMs: 50 }));
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(await streams.redis.zcard(streams.key('delayed'))).toBe(1);
  await streams.redis.config('SET', 'maxmemory', '0');
  expect((await taking).body.toString()).toBe('late');
  await eventually(async () => (await streams.redis.zcard(streams.key('delayed'))) === 0);
});
