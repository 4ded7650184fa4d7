import type { CallName } from '../../../lib/delivery/index.js';
import { KeySpace, RedisConnection } from '../../../lib/redis/index.js';
import { settleScript } from '../../../lib/streams/streams.scripts.js';
import { REDIS_URL } from '../../support/test-prefix.js';
import { useStreams } from './streams-fixture.js';

const streams = useStreams('again');
const connection = new RedisConnection({ connection: { url: REDIS_URL } });
afterAll(() => connection.close());

const CONSUMER = { group: 'default', consumer: 'me' };
const TERMS = {
  ...{ ...CONSUMER, adopted: 0, mine: 0, cursor: '', leaseMs: 1 },
  ...{ maxDeliveries: 0, maxAttempts: 0, deadMaxLen: 100 },
};
const FIRST: CallName = { holder: 'one', seat: 0, call: 1 };
const NEXT: CallName = { holder: 'one', seat: 0, call: 2 };

interface Wish {
  readonly limit?: number;
  /** (id, token) pairs to acknowledge. */
  readonly acks?: readonly string[];
  /** Looks for entries to take over. */
  readonly cursor?: '' | '-';
}

/** Sends one settle call under a name, as a claim loop does. */
function send(name: CallName, { limit = 2, acks = [], cursor = '' }: Wish = {}) {
  const space = new KeySpace(streams.prefix, 'streams', streams.queue);
  const outcomes = { acks: acks.length / 2, ended: 0, outcomesAndMine: acks };
  return settleScript.run(connection, space, { ...TERMS, ...outcomes, ...name, limit, cursor });
}

const idsOf = (rows: readonly { readonly id: string; readonly fields: readonly unknown[] }[]) =>
  rows.filter(({ fields }) => fields.length > 0).map(({ id }) => id);

describe('a call that is asked again', () => {
  beforeEach(() => streams.producer.publishMany(['a', 'b', 'c', 'd', 'e']));

  test('answers as it did, and takes nothing more', async () => {
    const first = await send(FIRST);
    expect(first.fresh).toHaveLength(2);
    expect(first.isHealed).toBe(true); // it made the group, which is not told twice
    expect(await send(FIRST)).toEqual({ ...first, isHealed: false });
    expect(await streams.pending()).toBe(2);
  });

  test('answers what it took over under the same tokens', async () => {
    const read = ['COUNT', 2, 'STREAMS', streams.key('stream'), '>'] as const;
    await streams.redis.xgroup('CREATE', streams.key('stream'), 'default', '0');
    await streams.redis.xreadgroup('GROUP', 'default', 'gone', ...read);
    await new Promise((resolve) => setTimeout(resolve, 10)); // the lease of 1 ms is over
    const first = await send(FIRST, { limit: 3, cursor: '-' });
    expect([first.taken.length, first.fresh.length]).toEqual([2, 1]);
    const again = await send(FIRST, { limit: 3, cursor: '-' });
    expect(again).toMatchObject({ taken: first.taken, fresh: first.fresh });
    expect(again.firstFence).toBe(first.firstFence);
  });

  test('begins the leases anew', async () => {
    const [{ id }] = (await send(FIRST)).fresh;
    const claim = [
      streams.key('stream'),
      'default',
      'me',
      0,
      id,
      'IDLE',
      60_000,
      'JUSTID',
    ] as const;
    await streams.redis.xclaim(...claim);
    await send(FIRST);
    const rows = await streams.redis.xpending(streams.key('stream'), 'default', id, id, 1);
    expect((rows as [string, string, number, number][])[0][2]).toBeLessThan(30_000);
  });

  test('repeats the codes of what it settled', async () => {
    const { fresh } = await send(FIRST);
    const acks = [fresh[0].id, '1.0', fresh[1].id, '7.0'];
    const reply = await send(NEXT, { acks });
    expect(reply.codes).toEqual([1, 0]);
    expect(await send(NEXT, { acks })).toEqual(reply);
    expect(await streams.pending()).toBe(3);
  });

  test('leaves out what was settled, taken over or deleted meanwhile', async () => {
    const { fresh } = await send(FIRST, { limit: 4 });
    const key = streams.key('stream');
    await streams.redis.xack(key, 'default', fresh[0].id);
    await streams.redis.xclaim(key, 'default', 'other', 0, fresh[1].id);
    await streams.redis.xdel(key, fresh[2].id);
    const again = await send(FIRST, { limit: 4 });
    expect(idsOf(again.fresh)).toEqual([fresh[3].id]);
    expect(again.fresh).toHaveLength(4); // so that the fences stay in step
  });

  test('comes too late once the next call had its seat: it takes nothing', async () => {
    await send(NEXT);
    await expect(send(FIRST)).rejects.toThrow(/LATE/);
    expect(await streams.pending()).toBe(2);
  });

  test.each([
    ['the next call of the holder', NEXT],
    ['another seat of the holder', { ...FIRST, seat: 1 }],
    ['another holder', { ...FIRST, holder: 'other' }],
    ['a call whose number begins alike', { ...FIRST, call: 11 }],
  ])('is not taken for %s', async (_, other) => {
    const first = await send(FIRST);
    const second = await send(other);
    expect(new Set(idsOf([...first.fresh, ...second.fresh])).size).toBe(4);
  });

  test('is known for ten minutes, by one key a seat', async () => {
    for (let call = 1; call <= 3; call++) await send({ ...FIRST, call }, { limit: 1 });
    const keys = (await streams.keys()).filter((key) => key.startsWith('call:'));
    expect(keys).toEqual(['call:one:0']);
    const life = await streams.redis.pttl(streams.key(keys[0]));
    expect([life > 0, life <= 600_000]).toEqual([true, true]);
  });
});
