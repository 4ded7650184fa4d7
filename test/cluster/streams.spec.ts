import { Cluster } from 'ioredis';
import { newId } from '../../lib/delivery/index.js';
import { StreamTransport, type StreamConsumed } from '../../lib/streams/index.js';
import { RecordingLogger } from '../contract/logs.js';
import { eventually } from '../support/eventually.js';
import { startCluster, type TestCluster } from '../support/redis-server.js';

let cluster: TestCluster;
let client: Cluster;

beforeAll(async () => {
  cluster = await startCluster();
  client = new Cluster([...cluster.nodes], { keyPrefix: 'app:' });
});

afterAll(async () => {
  client.disconnect();
  await cluster.stop();
});

describe.each([
  ['nodes', () => ({ connection: { cluster: { nodes: cluster.nodes } } })],
  ['a client with a key prefix', () => ({ client })],
])('a cluster by %s', (_, way) => {
  let transport: StreamTransport;
  beforeEach(() => {
    const logger = new RecordingLogger();
    transport = new StreamTransport({ ...way(), queue: `q${newId()}`, logger, blockMs: 300 });
  });
  afterEach(() => transport.close());

  test('every path of one queue stays in its slot', async () => {
    const consumer = transport.consumer({ leaseMs: 400, maxDeliveries: 1, prefetch: 5 });
    const deliveries = consumer.deliveries();
    const next = async () => (await deliveries.next()).value as StreamConsumed;
    await transport.append('a', { headers: { h: '1' } });
    await transport.append('b', { delayMs: 100 });
    await (await next()).reject({ requeue: true, delayMs: 20 });
    const seen = [await next(), await next()];
    expect(seen.map((one) => one.body.toString()).sort()).toEqual(['"a"', '"b"']);
    await seen[0].extend();
    await seen[0].release();
    await (await next()).reject();
    await seen[1].reject({ requeue: true });
    const again = await next();
    const lapsed = transport.consumer({ leaseMs: 400 }).deliveries();
    const taken = (await lapsed.next()).value as StreamConsumed;
    expect(taken).toMatchObject({ entryId: again.entryId, deliveryCount: 2 });
    await taken.ack();
    const [letter] = await transport.deadLetters.list();
    expect(await transport.deadLetters.redrive(letter.id)).toBe(true);
    await (await next()).ack();
    expect(await transport.stats()).toMatchObject({ dead: 0, delayed: 0 });
    expect(await transport.dropGroup('default')).toBe(true);
    expect(transport.connected).toBe(true);
  });

  test('one consumer reads queues on several nodes, and wakes for each', async () => {
    const queues = Array.from({ length: 6 }, () => `q${newId()}`);
    const consumer = transport.consumer({ queues, prefetch: 3 });
    const seen: string[] = [];
    const reading = (async () => {
      for await (const one of consumer.deliveries()) {
        seen.push(one.queue);
        await one.ack();
      }
    })();
    for (let round = 1; round <= 3; round++) {
      for (const queue of queues) await transport.queue(queue).append(round);
      await eventually(() => seen.length === round * queues.length);
    }
    expect(new Set(seen).size).toBe(6);
    await consumer.stop();
    await reading;
  });
});
