import type { CallName } from '../../../lib/delivery/index.js';
import { settleScript } from '../../../lib/groups/groups.scripts.js';
import { outcomeArguments, type GroupOutcome } from '../../../lib/groups/outcome.js';
import { passesFrom } from '../../../lib/groups/tiers.js';
import { KeySpace, RedisConnection } from '../../../lib/redis/index.js';
import { REDIS_URL } from '../../support/test-prefix.js';
import { useGroups } from './groups-fixture.js';

const groups = useGroups('again');
const connection = new RedisConnection({ connection: { url: REDIS_URL } });
afterAll(() => connection.close());

const TERMS = {
  ...{ leaseMs: 30_000, batch: 2, attempts: 3, passes: passesFrom(0) },
  ...{ keepDead: 100, keepDeadMs: 0, exact: false },
};
const FIRST: CallName = { holder: 'one', seat: 0, call: 1 };
const NEXT: CallName = { holder: 'one', seat: 0, call: 2 };

/** Sends one settle call under a name, as the claim loop does. */
function send(name: CallName, outcomes: GroupOutcome[] = [], limit = 2) {
  const space = new KeySpace(groups.prefix, 'groups', groups.topic);
  const args = { ...outcomeArguments(outcomes), ...TERMS, limit, ...name };
  return settleScript.run(connection, space, args);
}

async function leasedGroups(): Promise<number> {
  return (await groups.transport.stats()).leased;
}

describe('a call that is asked again', () => {
  beforeEach(async () => {
    for (const group of ['a', 'b', 'c', 'd', 'e']) await groups.publishAll(group, [1, 2, 3]);
  });

  test('answers as it did, and claims nothing more', async () => {
    const first = await send(FIRST);
    expect(first.leases.map(({ frames }) => frames.length)).toEqual([2, 2]);
    expect(await send(FIRST)).toEqual(first);
    expect(await leasedGroups()).toBe(2);
  });

  test('begins the leases anew', async () => {
    const { leases } = await send(FIRST);
    await groups.redis.pexpire(groups.key('lock', leases[0].group), 5_000);
    await send(FIRST);
    const left = await groups.redis.pttl(groups.key('lock', leases[0].group));
    expect(left).toBeGreaterThan(20_000);
  });

  test('repeats the codes of what it settled', async () => {
    const { leases } = await send(FIRST);
    const outcomes = leases.map(({ group, fence }, at): GroupOutcome => {
      const place = { group, token: String(fence), delayMs: 0, reason: '' };
      return at === 0 ? { verb: 'ack', ...place, done: 2 } : { verb: 'retry', ...place, done: 1 };
    });
    const reply = await send(NEXT, outcomes);
    expect(reply.codes).toEqual([1, 1]);
    expect(await send(NEXT, outcomes)).toEqual(reply);
    expect(await groups.transport.depth()).toBe(12);
  });

  test('leaves out a lease that is over, and keeps the fences of the others', async () => {
    const first = await send(FIRST, [], 3);
    await groups.redis.del(groups.key('lock', first.leases[1].group));
    const { leases } = await send(FIRST, [], 3);
    expect(leases).toEqual([first.leases[0], first.leases[2]]);
  });

  test('leaves out a lease of which something was settled', async () => {
    const { leases } = await send(FIRST);
    const [{ group, fence }, second] = leases;
    const ack = { verb: 'ack', token: String(fence), delayMs: 0, reason: '' } as const;
    await send({ ...FIRST, seat: 1, call: 2 }, [{ ...ack, group, done: 1 }], -1);
    expect((await send(FIRST)).leases).toEqual([second]);
  });

  test('comes too late once the next call had its seat: it claims nothing', async () => {
    await send(NEXT);
    await expect(send(FIRST)).rejects.toThrow(/LATE/);
    expect(await leasedGroups()).toBe(2);
  });

  test.each([
    ['the next call of the holder', NEXT],
    ['another seat of the holder', { ...FIRST, seat: 1 }],
    ['another holder', { ...FIRST, holder: 'other' }],
    ['a call whose number begins alike', { ...FIRST, call: 11 }],
  ])('is not taken for %s', async (_, other) => {
    const first = await send(FIRST);
    const second = await send(other);
    expect([first, second].map(({ leases }) => leases.length)).toEqual([2, 2]);
    expect(await leasedGroups()).toBe(4);
  });

  test('is known for ten minutes, by one key a seat', async () => {
    for (let call = 1; call <= 3; call++) await send({ ...FIRST, call }, [], 1);
    const keys = (await groups.keys()).filter((key) => key.startsWith('call:'));
    expect(keys).toEqual(['call:one:0']);
    const life = await groups.redis.pttl(groups.key(keys[0]));
    expect([life > 0, life <= 600_000]).toEqual([true, true]);
  });
});
