import { PartialFailureError } from '../../../lib/errors/index.js';
import { useStreams } from './streams-fixture.js';

const streams = useStreams('streams-partial');
const LAST = '18446744073709551615';

/** Leaves room for so many entries: the server knows no id beyond the last one. */
async function leaveRoomFor(count: number): Promise<void> {
  const seq = BigInt(LAST) - BigInt(count);
  await streams.redis.xadd(streams.key('stream'), `${LAST}-${seq}`, 'body', 'first');
}

test('some written: the error has an id or an error a message', async () => {
  await leaveRoomFor(2);
  const publishing = streams.producer.publishMany(['a', 'b', 'c', 'd']);
  const error = await publishing.catch((reason: unknown) => reason as PartialFailureError);
  expect(error).toBeInstanceOf(PartialFailureError);
  const { results } = error as PartialFailureError;
  expect(results.slice(0, 2)).toEqual([`${LAST}-18446744073709551614`, `${LAST}-${LAST}`]);
  expect(results.slice(2)).toEqual([expect.any(Error), expect.any(Error)]);
  expect(await streams.redis.xlen(streams.key('stream'))).toBe(3);
});

test('the same by a transport, over several calls', async () => {
  await leaveRoomFor(501);
  const payloads = Array.from({ length: 600 }, (_, payload) => ({ payload }));
  const appending = streams.transport().appendMany(payloads);
  const error = await appending.catch((reason: unknown) => reason as PartialFailureError);
  const { results } = error as PartialFailureError;
  expect(results).toHaveLength(600);
  expect(results.filter((one) => typeof one === 'string')).toHaveLength(501);
});

test('none written: the failure itself', async () => {
  await leaveRoomFor(0);
  const publishing = streams.producer.publishMany(['a', 'b']);
  await expect(publishing).rejects.toMatchObject({
    code: 'OPERATION_FAILED',
    outcomeAmbiguous: false,
  });
});
