import { eventually } from '../../support/eventually.js';
import { commandsDuring } from '../../support/commands.js';
import { startServer, type TestServer } from '../../support/redis-server.js';
import { collect, StreamsFixture } from '../../engine/streams/streams-fixture.js';
import type { StreamConsumer } from '../../../lib/streams/index.js';

// a server of its own, since these tests flush it
let server: TestServer;
let streams: StreamsFixture;
let consumer: StreamConsumer;
let bodies: string[];
let reading: Promise<unknown>;

beforeAll(async () => {
  server = await startServer();
  streams = new StreamsFixture('streams-lost', server.url);
});

beforeEach(async () => {
  streams.open();
  bodies = [];
  consumer = streams.consumer();
  reading = collect(consumer, (one) => {
    bodies.push(one.body.toString());
    return one.ack().catch(() => undefined); // the group may be gone again
  });
  await streams.producer.publish('before');
  await eventually(() => bodies.length === 1);
});

afterEach(async () => {
  await streams.close();
  await reading;
});

afterAll(async () => {
  await streams.end();
  await server.stop();
});

test.each<[string, () => Promise<unknown>]>([
  ['DEL of the stream', () => streams.redis.del(streams.key('stream'))],
  ['XGROUP DESTROY', () => streams.redis.xgroup('DESTROY', streams.key('stream'), 'default')],
  ['FLUSHALL', () => streams.redis.flushall()],
  ['SCRIPT FLUSH', () => streams.redis.script('FLUSH')],
])('after %s the group comes back by itself, from the start', async (_, lose) => {
  await lose();
  await streams.producer.publishMany(['a', 'b', 'c']);
  await eventually(() => ['a', 'b', 'c'].every((body) => bodies.includes(body)));
  await eventually(async () => (await streams.pending()) === 0);
  expect(consumer.connected).toBe(true);
});

test('an idle consumer whose group is destroyed again and again does not spin', async () => {
  const stream = streams.key('stream');
  const commands = await commandsDuring(server.url, async () => {
    for (let n = 0; n < 20; n++) {
      await streams.redis.xgroup('DESTROY', stream, 'default');
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  });
  expect(commands.length).toBeLessThan(400);
  expect(streams.logger.lines.length).toBeLessThan(60);
});

test('a holder whose group was lost settles into the void, without an effect', async () => {
  const holder = streams.consumer({ group: 'other' });
  const taking = streams.takeOne(holder);
  // until then the stream may be trimmed of what the only group has settled
  await eventually(() => streams.consumerNames('other'));
  await streams.producer.publish('for both');
  const one = await taking;
  await streams.redis.xgroup('DESTROY', streams.key('stream'), 'other');
  await expect(one.ack()).rejects.toMatchObject({ code: 'LEASE_LOST' });
  await expect(one.reject()).rejects.toMatchObject({ code: 'LEASE_LOST' });
  expect(await streams.letters()).toEqual([]);
});

test('a stream of the wrong kind is told, and when it is gone the work goes on', async () => {
  await streams.redis.del(streams.key('stream'));
  await streams.redis.set(streams.key('stream'), 'text');
  await eventually(() => streams.logger.of('warn').some((line) => line.includes('WRONGTYPE')));
  await streams.redis.del(streams.key('stream'));
  await streams.producer.publish('after');
  await eventually(() => bodies.includes('after'));
});
