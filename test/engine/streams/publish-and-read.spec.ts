import { eventually } from '../../support/eventually.js';
import { bodiesOf, collect, useStreams } from './streams-fixture.js';

const streams = useStreams('streams-read');

describe('a message', () => {
  test('comes out with the bytes it went in with, and is settled', async () => {
    const body = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
    const id = await streams.producer.publish(body);
    const one = await streams.takeOne(streams.consumer());
    expect(one.body).toEqual(body);
    expect(one).toMatchObject({ id, entryId: id, deliveryCount: 1, attempt: 1, headers: {} });
    await one.ack();
    expect(await streams.pending()).toBe(0);
  });

  test('brings its headers, and text as UTF-8', async () => {
    const headers = { 'trace-id': '00-ab', leer: '', žluť: '\u0000' };
    await streams.producer.publish('馬', { headers });
    const one = await streams.takeOne(streams.consumer());
    expect([one.body.toString(), one.headers]).toEqual(['馬', headers]);
  });

  test('published before the group exists is delivered', async () => {
    await streams.producer.publish('early');
    expect((await streams.takeOne(streams.consumer({ group: 'late' }))).body.toString()).toBe(
      'early',
    );
  });

  test('published before a group that begins now is not', async () => {
    await streams.producer.publish('early');
    const consumer = streams.consumer({ group: 'late', from: 'now' });
    const taking = streams.takeOne(consumer);
    await eventually(() => streams.consumerNames('late').catch(() => false));
    await streams.producer.publish('now');
    expect((await taking).body.toString()).toBe('now');
  });

  test('of another writer, without a body, is a dead letter and does not stop the rest', async () => {
    await streams.redis.xadd(streams.key('stream'), '*', 'foo', 'bar');
    await streams.producer.publish('good');
    expect((await streams.takeOne(streams.consumer())).body.toString()).toBe('good');
    await eventually(async () => (await streams.letters()).length === 1);
    expect((await streams.letters())[0]).toMatchObject({
      reason: 'rejected',
      body: '["foo","bar"]',
    });
  });

  test('of another writer, with a body, is like ours', async () => {
    const id = await streams.redis.xadd(streams.key('stream'), '*', 'x', '1', 'body', 'b');
    expect(await streams.takeOne(streams.consumer())).toMatchObject({ id, body: Buffer.from('b') });
  });

  test('with the largest sequence there is keeps its id', async () => {
    const id = '7-18446744073709551614';
    await streams.redis.xadd(streams.key('stream'), id, 'body', 'b');
    const one = await streams.takeOne(streams.consumer());
    expect(one.entryId).toBe(id);
    await one.ack();
    expect(await streams.pending()).toBe(0);
  });
});

describe('publishMany', () => {
  test('takes bodies and options, in one order', async () => {
    const ids = await streams.producer.publishMany([
      'a',
      Buffer.from('b'),
      { body: 'c', headers: { h: '1' } },
    ]);
    const taken = await streams.take(streams.consumer({ prefetch: 3 }), 3);
    expect(bodiesOf(taken)).toEqual(['a', 'b', 'c']);
    expect(taken.map(({ id }) => id)).toEqual(ids);
    expect(taken[2].headers).toEqual({ h: '1' });
  });

  test('takes 5,000 in a few calls, stores them in their order, and all of them come', async () => {
    const bodies = Array.from({ length: 5_000 }, (_, n) => String(n));
    expect(new Set(await streams.producer.publishMany(bodies)).size).toBe(5_000);
    const entries = await streams.redis.xrange(streams.key('stream'), '-', '+');
    expect(entries.map(([, [, body]]) => body)).toEqual(bodies);
    const taken = await streams.take(streams.consumer({ prefetch: 500 }), 5_000);
    expect(new Set(bodiesOf(taken)).size).toBe(5_000);
  });

  test('writes nothing when one of them is wrong', async () => {
    const publishing = streams.producer.publishMany(['a', 7 as unknown as string]);
    await expect(publishing).rejects.toMatchObject({ code: 'INVALID_OPTION' });
    expect(await streams.keys()).toEqual([]);
  });

  test('refuses half of a surrogate pair, which would come out as another text', async () => {
    const publishing = streams.producer.publishMany(['a', 'b\ud800c']);
    await expect(publishing).rejects.toMatchObject({ code: 'INVALID_PAYLOAD' });
    expect(await streams.keys()).toEqual([]);
  });
});

describe('groups', () => {
  test('consumers of one share the messages', async () => {
    const consumers = [streams.consumer(), streams.consumer()];
    const reading = consumers.map((consumer) => collect(consumer));
    await streams.producer.publishMany(Array.from({ length: 20 }, (_, n) => String(n)));
    await eventually(async () => (await streams.pending()) === 0 && (await isRead()));
    await Promise.all(consumers.map((consumer) => consumer.stop()));
    const seen = (await Promise.all(reading)).flat();
    expect(
      bodiesOf(seen)
        .map(Number)
        .sort((a, b) => a - b),
    ).toEqual([...Array(20).keys()]);
  });

  test('two of them get every message', async () => {
    const consumers = ['a', 'b'].map((group) => streams.consumer({ group }));
    await streams.producer.publishMany(Array.from({ length: 20 }, (_, n) => String(n)));
    const taken = await Promise.all(consumers.map((consumer) => streams.take(consumer, 20)));
    for (const part of taken) expect(bodiesOf(part).map(Number)).toEqual([...Array(20).keys()]);
  });

  const isRead = async (): Promise<boolean> => {
    const [row] = (await streams.redis.xinfo('GROUPS', streams.key('stream'))) as unknown[][];
    const last = row[row.indexOf('last-delivered-id') + 1] as string;
    return (await streams.redis.xrange(streams.key('stream'), `(${last}`, '+')).length === 0;
  };
});

test('the keys are stream, delayed and dead behind the queue, and two of its own', async () => {
  streams.queue = 'orders';
  const transport = streams.transport();
  await transport.append('now');
  await transport.append('later', { delayMs: 3_600_000 });
  const one = await streams.takeOne(transport.consumer());
  await one.reject();
  const keys = await streams.keys();
  expect(keys).toEqual(expect.arrayContaining(['dead', 'delayed', 'stream']));
  expect(keys.filter((key) => !/^(signal|call:)/.test(key))).toEqual([
    'dead',
    'delayed',
    'meta',
    'stream',
  ]);
  expect(streams.key('stream')).toBe(`${streams.prefix}:streams:{orders}:stream`);
});
