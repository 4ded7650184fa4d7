import type { PartialFailureError } from '../../../lib/errors/index.js';
import { StreamTransport } from '../../../lib/streams/index.js';
import { FaultyProxy } from '../../support/faulty-proxy.js';
import { startServer, type TestServer } from '../../support/redis-server.js';
import { StreamsFixture } from '../../engine/streams/streams-fixture.js';

/** Three script calls: a call takes up to 500 messages, and the calls go one after the other. */
const COUNT = 1_200;
const CALL = 500;
const NUMBERS = Array.from({ length: COUNT }, (_, number) => number);

// a server of its own, since its memory is filled
let server: TestServer;
let streams: StreamsFixture;
let proxy: FaultyProxy;
let transport: StreamTransport;

beforeAll(async () => {
  server = await startServer({ args: ['--maxmemory-policy', 'noeviction'] });
  streams = new StreamsFixture('streams-half', server.url);
});

beforeEach(async () => {
  streams.open();
  proxy = await FaultyProxy.start(server.port);
  const { prefix, queue, logger } = streams;
  const limits = { connectTimeoutMs: 1_000, commandTimeoutMs: 1_000 };
  transport = new StreamTransport({ url: proxy.url, prefix, queue, logger, ...limits });
  await transport.appendMany([{ payload: 'is' }, { payload: 'known' }]); // the script is, from now on
  await streams.redis.del(streams.key('stream'));
});

afterEach(async () => {
  await streams.redis.config('SET', 'maxmemory', '0');
  await transport.close();
  await streams.close();
  await proxy.stop();
});

afterAll(async () => {
  await streams.end();
  await server.stop();
});

const WAYS: readonly (readonly [string, () => Promise<unknown>])[] = [
  ['publishMany', () => transport.producer.publishMany(NUMBERS.map(String))],
  ['appendMany', () => transport.appendMany(NUMBERS.map((payload) => ({ payload })))],
];

/** The error of a call that failed in part. */
async function failureOf(call: Promise<unknown>): Promise<PartialFailureError> {
  const [outcome] = await Promise.allSettled([call]);
  expect(outcome).toMatchObject({ reason: { code: 'PARTIAL_FAILURE', retryable: false } });
  return (outcome as PromiseRejectedResult).reason as PartialFailureError;
}

/** What is in the stream, oldest first. */
async function stored(): Promise<{ readonly ids: string[]; readonly numbers: number[] }> {
  const entries = await streams.redis.xrange(streams.key('stream'), '-', '+');
  return {
    ids: entries.map(([id]) => id),
    numbers: entries.map(([, [, body]]) => Number(body)),
  };
}

describe.each(WAYS)('%s in several calls', (_, publish) => {
  test('and the server is full after the first: its ids, and refusals that stored nothing', async () => {
    proxy.beforeNextReply(() => streams.redis.config('SET', 'maxmemory', '1'));
    const error = await failureOf(publish());
    expect(error.outcomeAmbiguous).toBe(false);
    const { ids, numbers } = await stored();
    expect(numbers).toEqual(NUMBERS.slice(0, CALL));
    expect(error.results.slice(0, CALL)).toEqual(ids);
    const refused = { code: 'OPERATION_FAILED', retryable: true, outcomeAmbiguous: false };
    expect(error.results.slice(CALL)).toEqual(
      NUMBERS.slice(CALL).map(() => expect.objectContaining(refused) as unknown),
    );
  });

  test('and the replies are lost from the second on: its messages alone are in doubt', async () => {
    proxy.beforeNextReply(() => proxy.dropReplies());
    const error = await failureOf(publish());
    expect(error.outcomeAmbiguous).toBe(true);
    const { ids, numbers } = await stored();
    expect(numbers).toEqual(NUMBERS.slice(0, 2 * CALL)); // the second call was carried out
    expect(error.results.slice(0, CALL)).toEqual(ids.slice(0, CALL));
    expect(doubtsOf(error)).toEqual(NUMBERS.slice(CALL).map((number) => number < 2 * CALL));
  });

  test('and only the reply of the second is lost: what is behind it is sent all the same', async () => {
    proxy.beforeNextReply(() => proxy.beforeNextReply(() => proxy.cut()));
    const error = await failureOf(publish());
    expect(error.outcomeAmbiguous).toBe(true);
    const { ids, numbers } = await stored();
    expect(numbers).toEqual(NUMBERS);
    expect(error.results.slice(0, CALL)).toEqual(ids.slice(0, CALL));
    expect(error.results.slice(2 * CALL)).toEqual(ids.slice(2 * CALL));
    expect(doubtsOf(error).slice(0, CALL)).toEqual(Array(CALL).fill(true));
  });
});

/** Of each message behind the first call: whether it may be in the stream. */
function doubtsOf({ results }: PartialFailureError): boolean[] {
  return results
    .slice(CALL)
    .map((one) => (one as { readonly outcomeAmbiguous: boolean }).outcomeAmbiguous);
}
