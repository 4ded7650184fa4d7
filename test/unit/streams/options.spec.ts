import { Redis } from 'ioredis';
import {
  createStreamsEngine,
  StreamConsumer,
  StreamProducer,
  STREAMS_DEFAULTS,
  StreamTransport,
  type StreamReadOptions,
} from '../../../lib/streams/index.js';
import { RedisConnection } from '../../../lib/redis/index.js';
import { caught } from '../../contract/caught.js';

const url = 'redis://127.0.0.1:1';
const refused = (option: string) => ({ code: 'INVALID_OPTION', option });

describe('what holds where nothing is said', () => {
  test('is what the seed says, in our units', () => {
    expect(STREAMS_DEFAULTS).toMatchObject({
      group: 'default',
      leaseMs: 60_000,
      blockMs: 1_000,
      maxDeliveries: null,
      deadMaxLen: 10_000,
      consumerIdleMs: 86_400_000,
      from: 'start',
    });
    expect(new StreamProducer({ url }).queue).toBe('default');
    expect(new StreamConsumer({ url })).toMatchObject({ queues: ['default'], group: 'default' });
  });
});

describe.each([
  ['StreamProducer', StreamProducer],
  ['StreamConsumer', StreamConsumer],
  ['StreamTransport', StreamTransport],
])('%s', (_, Part) => {
  const client = new Redis({ lazyConnect: true });
  afterAll(() => client.disconnect());

  test('wants exactly one of url and client', () => {
    expect(caught(() => new Part({}))).toEqual(refused('url'));
    expect(caught(() => new Part({ url, client }))).toEqual(refused('url'));
    expect(caught(() => new Part({ url, connection: { url } }))).toEqual(refused('url'));
    expect(caught(() => new Part({ url }))).toBeUndefined();
    expect(caught(() => new Part({ client }))).toBeUndefined();
  });

  test.each([
    ['queue', ''],
    ['queue', 'a\n'],
    ['queue', 7],
    ['queue', null],
    ['prefix', '{x}'],
    ['connectTimeoutMs', 0],
    ['connectTimeoutMs', 2 ** 31],
    ['commandTimeoutMs', 2 ** 31],
  ])('refuses %s %p', (option, value) => {
    expect(caught(() => new Part({ url, [option]: value }))).toEqual(refused(option));
  });

  test('refuses an option that it does not know', () => {
    const unknown = { url, blockMS: 5 } as object as { url: string };
    expect(caught(() => new Part(unknown))).toEqual(refused('options.blockMS'));
  });
});

describe.each([
  ['StreamConsumer', StreamConsumer],
  ['StreamTransport', StreamTransport],
])('%s', (_, Part) => {
  test.each([
    ['group', ''],
    ['leaseMs', 0],
    ['leaseMs', -1],
    ['leaseMs', NaN],
    ['leaseMs', '5'],
    ['blockMs', 0],
    ['blockMs', 2 ** 31],
    ['maxDeliveries', 0],
    ['maxDeliveries', 1.5],
    ['maxDeliveries', '3'],
    ['deadMaxLen', 0],
    ['maxLen', 0],
    ['maxAgeMs', 0],
    ['consumerIdleMs', 0],
    ['promoteEveryMs', 1],
    ['from', 'middle'],
    ['codec', {}],
  ])('refuses %s %p', (option, value) => {
    const { option: named } = caught(() => new Part({ url, [option]: value })) ?? {};
    expect(named?.split('.')[0]).toBe(option);
  });
});

test.each([
  [{ prefetch: 0 }, 'prefetch'],
  [{ prefetch: 10_001 }, 'prefetch'],
  [{ queues: [] }, 'queues'],
  [{ queues: [''] }, 'queues'],
  [{ queue: 'a', queues: ['b'] }, 'queues'],
])('a consumer refuses %p', (options, option) => {
  expect(caught(() => new StreamConsumer({ url, ...options }))).toEqual(refused(option));
});

test('a queue named twice is read once', () => {
  expect(new StreamConsumer({ url, queues: ['a', 'b', 'a'] }).queues).toEqual(['a', 'b']);
});

test.each([undefined, null, '', 7])('queue(%p) of a transport is refused', (name) => {
  const transport = new StreamTransport({ url });
  expect(caught(() => transport.queue(name as string))).toEqual(refused('queue'));
});

test('a closed transport makes no consumers, nor does another queue of it', async () => {
  const transport = new StreamTransport({ url });
  const other = transport.queue('other');
  await transport.close();
  expect(caught(() => transport.consumer())).toMatchObject({ code: 'CLOSED' });
  expect(caught(() => other.consumer())).toMatchObject({ code: 'CLOSED' });
});

test('names of consumers are unique', () => {
  const names = Array.from({ length: 20 }, () => new StreamConsumer({ url }).name);
  expect(new Set(names).size).toBe(20);
});

test("the module's options are named with `streams.` in front", () => {
  const connection = new RedisConnection({ connection: { url } });
  const create = () =>
    createStreamsEngine({ connection, prefix: 'rq', options: { deadMaxLen: 0 } });
  expect(caught(create)).toEqual(refused('streams.deadMaxLen'));
});

test.each([
  [{ group: '' }, 'group'],
  [{ leaseMs: 0 }, 'leaseMs'],
  [{ maxDeliveries: 0 }, 'maxDeliveries'],
  [{ other: 1 }, 'options.other'],
])('the consumer of a transport refuses %p', (options, option) => {
  const consumer = () => new StreamTransport({ url }).consumer(options as StreamReadOptions);
  expect(caught(consumer)).toEqual(refused(option));
});

test.each([
  [7, {}, 'body'],
  [null, {}, 'body'],
  [{}, {}, 'body'],
  ['x', { delayMs: NaN }, 'delayMs'],
  ['x', { delayMs: Infinity }, 'delayMs'],
  ['x', { delayMs: '5' }, 'delayMs'],
  ['x', { headers: { a: 1 } }, 'headers.a'],
  ['x', { delay: 5 }, 'options.delay'],
])('publish refuses %p with %p', async (body, options, option) => {
  const publishing = new StreamProducer({ url }).publish(body as string, options as never);
  await expect(publishing).rejects.toMatchObject(refused(option));
});

test('publish refuses a body beyond the limit, counted in bytes', async () => {
  const producer = new StreamProducer({ url, maxPayloadBytes: 3 });
  await expect(producer.publish('ééé')).rejects.toMatchObject({ code: 'INVALID_PAYLOAD' });
});
