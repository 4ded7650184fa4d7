import { take, toArray, firstValueFrom, Subject, takeUntil } from 'rxjs';
import { createStreamsEngine, type StreamConsumed } from '../../../lib/streams/index.js';
import { RedisConnection } from '../../../lib/redis/index.js';
import { eventually } from '../../support/eventually.js';
import { bodiesOf, collect, useStreams } from './streams-fixture.js';

const streams = useStreams('streams-consumers');

describe('stop', () => {
  test('with nothing pending removes the name', async () => {
    await streams.producer.publish('x');
    const consumer = streams.consumer();
    await (await streams.takeOne(consumer)).ack();
    expect(await streams.consumerNames()).toEqual([consumer.name]);
    await consumer.stop();
    expect(await streams.consumerNames()).toEqual([]);
  });

  test('with something pending leaves the name, and it can still be settled', async () => {
    await streams.producer.publish('x');
    const consumer = streams.consumer();
    const one = await streams.takeOne(consumer);
    await consumer.stop();
    expect(await streams.consumerNames()).toEqual([consumer.name]);
    await one.ack();
    await consumer.close();
    expect(await streams.consumerNames()).toEqual([]);
  });

  test('leaves the name to the last late settle, however it settles', async () => {
    await streams.producer.publishMany(['a', 'b', 'c']);
    const consumer = streams.consumer({ prefetch: 3 });
    const [first, second, third] = await streams.take(consumer, 3);
    await consumer.stop();
    await first.ack();
    await second.reject({ requeue: true });
    expect(await streams.consumerNames()).toEqual([consumer.name]);
    await third.release();
    expect(await streams.consumerNames()).not.toContain(consumer.name);
  });

  test('ends the deliveries within the block time, and before where nothing comes', async () => {
    const consumer = streams.consumer({ blockMs: 5_000 });
    const reading = collect(consumer);
    await eventually(isWaiting);
    const since = performance.now();
    await consumer.stop();
    expect(await reading).toEqual([]);
    expect(performance.now() - since).toBeLessThan(2_500);
  });

  test('gives back what was taken ahead, to be had at once and with its count', async () => {
    await streams.producer.publishMany(['a', 'b', 'c']);
    const consumer = streams.consumer({ prefetch: 3 });
    const deliveries = consumer.deliveries();
    const first = (await deliveries.next()).value as StreamConsumed;
    await consumer.stop();
    await deliveries.next();
    const taken = await streams.take(streams.consumer({ prefetch: 3 }), 2);
    expect(bodiesOf(taken).sort()).toEqual(['b', 'c']);
    expect(taken.map(({ deliveryCount }) => deliveryCount)).toEqual([1, 1]);
    await first.ack();
  });

  test('loses nothing to a message that comes in the same moment', async () => {
    for (let round = 0; round < 15; round++) {
      const consumer = streams.consumer({ group: 'racing', blockMs: 1_000 });
      const reading = collect(consumer);
      await new Promise((resolve) => setTimeout(resolve, round));
      const publishing = streams.producer.publish(String(round));
      await consumer.stop();
      await publishing;
      const [early] = await reading;
      const one = early ?? (await streams.takeOne(streams.consumer({ group: 'racing' })));
      expect(one).toMatchObject({ body: Buffer.from(String(round)), deliveryCount: 1 });
      if (early === undefined) await one.ack();
    }
  });

  test('may be called twice; later deliveries are refused', async () => {
    const consumer = streams.consumer();
    await consumer.stop();
    await consumer.stop();
    await expect(consumer.deliveries().next()).rejects.toMatchObject({ code: 'CLOSED' });
  });
});

test('to leave the loop gives back what was taken ahead', async () => {
  await streams.producer.publishMany(['a', 'b']);
  const consumer = streams.consumer({ prefetch: 2 });
  for await (const one of consumer.deliveries()) {
    await one.ack();
    break;
  }
  expect((await streams.takeOne(streams.consumer())).body.toString()).toBe('b');
});

describe('as an Observable', () => {
  test('the messages come, and it completes with the consumer', async () => {
    const consumer = streams.consumer({ prefetch: 2 });
    const all = firstValueFrom(consumer.observe().pipe(toArray()));
    const seen: StreamConsumed[] = [];
    consumer.observe().subscribe((one) => {
      seen.push(one);
      void one.ack();
    });
    await streams.producer.publish('mine or theirs');
    await eventually(async () => (await streams.redis.xlen(streams.key('stream'))) <= 1);
    await consumer.stop();
    expect((await all).length + seen.length).toBeLessThanOrEqual(1);
  });

  test('no more than prefetch are out at a time', async () => {
    await streams.producer.publishMany(['a', 'b', 'c', 'd', 'e']);
    const out: StreamConsumed[] = [];
    const enough = new Subject<void>();
    const consumer = streams.consumer({ prefetch: 2 });
    consumer
      .observe()
      .pipe(takeUntil(enough))
      .subscribe((one) => out.push(one));
    await eventually(() => out.length === 2);
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(out).toHaveLength(2);
    expect(await streams.pending()).toBe(2);
    await out[0].ack();
    await eventually(() => out.length === 3);
    enough.next();
  });

  test('to unsubscribe ends it, and the next subscriber gets the rest', async () => {
    await streams.producer.publishMany(['a', 'b', 'c']);
    const consumer = streams.consumer();
    const ackAll = (count: number) =>
      firstValueFrom(consumer.observe().pipe(take(count), toArray()));
    const [first] = await ackAll(1);
    await first.ack();
    const second = firstValueFrom(consumer.observe());
    expect((await second).body.toString()).toBe('b');
  });
});

describe('several queues', () => {
  test('are read by one consumer, each with its own settles', async () => {
    const queues = ['a', 'b', 'c'].map((letter) => `${streams.queue}-${letter}`);
    const transport = streams.transport();
    const consumer = streams.consumer({ queues, prefetch: 2 });
    const reading = collect(consumer);
    for (const queue of queues)
      for (let n = 0; n < 20; n++) await transport.queue(queue).append({ queue, n });
    await eventually(async () => {
      const counts = await Promise.all(queues.map((queue) => transport.queue(queue).stats()));
      return counts.every(({ groups }) => groups[0]?.waiting === 0 && groups[0]?.running === 0);
    });
    await consumer.stop();
    const seen = await reading;
    expect(seen).toHaveLength(60);
    for (const one of seen)
      expect(JSON.parse(one.body.toString())).toMatchObject({ queue: one.queue });
  });

  test('do not let a full one starve the others', async () => {
    const queues = [`${streams.queue}-full`, `${streams.queue}-thin`];
    const transport = streams.transport();
    const many = Array.from({ length: 500 }, (_, payload) => ({ payload }));
    await transport.queue(queues[0]).appendMany(many);
    await transport.queue(queues[1]).append('thin');
    const taken: string[] = [];
    for await (const one of streams.consumer({ queues, prefetch: 1 }).deliveries()) {
      taken.push(one.queue);
      await one.ack();
      if (one.queue === queues[1]) break;
    }
    expect(taken.length).toBeLessThan(20);
  });
});

test('no more than prefetch are taken ahead, also where entries come while it waits', async () => {
  const consumer = streams.consumer({ prefetch: 3 });
  const deliveries = consumer.deliveries();
  const first = deliveries.next();
  await eventually(isWaiting);
  await streams.producer.publishMany(Array.from({ length: 50 }, (_, n) => String(n)));
  await (await first).value?.ack();
  await deliveries.next();
  expect(await streams.pending()).toBeLessThanOrEqual(3);
});

test('names that idle with nothing pending are swept, the others stay', async () => {
  const stream = streams.key('stream');
  await streams.producer.publishMany(['a', 'b']);
  await streams.redis.xgroup('CREATE', stream, 'default', '0');
  await streams.redis.xgroup('CREATECONSUMER', stream, 'default', 'idle');
  await streams.redis.xreadgroup('GROUP', 'default', 'busy', 'COUNT', 1, 'STREAMS', stream, '>');
  const connection = new RedisConnection({ connection: { url: streams.url } });
  const options = { consumerIdleMs: 1 };
  const { engine } = createStreamsEngine({ connection, prefix: streams.prefix, options });
  await eventually(async () => {
    await engine.upkeep({ queue: streams.queue, slots: 1, leaseMs: 1, attempts: 1 })[0].run();
    return (await streams.consumerNames()).length === 1;
  });
  expect(await streams.consumerNames()).toEqual(['busy']);
  await connection.close();
});

describe('what was handed over', () => {
  test('a client stays open, and is not used for blocking reads', async () => {
    const { redis: client, prefix, queue } = streams;
    const { StreamProducer, StreamConsumer } = await import('../../../lib/streams/index.js');
    const producer = new StreamProducer({ client, prefix, queue });
    const consumer = new StreamConsumer({ client, prefix, queue });
    await producer.publish('x');
    await (await streams.takeOne(consumer)).ack();
    await Promise.all([producer.close(), consumer.close()]);
    expect(await client.ping()).toBe('PONG');
  });

  test("a client's key prefix stands before every key", async () => {
    const { prefix, queue } = streams;
    const client = streams.redis.duplicate({ keyPrefix: 'app:' });
    const { StreamTransport } = await import('../../../lib/streams/index.js');
    const transport = new StreamTransport({ client, prefix, queue });
    const consumer = transport.consumer();
    const deliveries = consumer.deliveries();
    const waiting = deliveries.next();
    await eventually(isWaiting);
    await transport.append('x');
    await transport.append('y', { delayMs: 50 });
    await (await waiting).value?.ack();
    await (await deliveries.next()).value?.ack();
    expect(await streams.keys()).toEqual([]);
    const keys = await streams.redis.keys(`app:${prefix}:*`);
    expect(keys).toContain(`app:${streams.key('stream')}`);
    await transport.close();
    await streams.redis.unlink(keys);
    client.disconnect();
  });
});

/** Whether a blocking read is under way somewhere. */
async function isWaiting(): Promise<boolean> {
  const clients = (await streams.redis.client('LIST')) as string;
  return /name=nest-redis-queue:streams:reads .*flags=b/.test(clients);
}
