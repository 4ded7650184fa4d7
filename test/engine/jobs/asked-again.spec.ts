import type { CallName } from '../../../lib/delivery/index.js';
import { settleArguments, type JobOutcome } from '../../../lib/jobs/outcome.js';
import { JOBS_DEFAULTS } from '../../../lib/jobs/jobs.options.js';
import { settleScript } from '../../../lib/jobs/jobs.scripts.js';
import { KeySpace, RedisConnection } from '../../../lib/redis/index.js';
import { REDIS_URL } from '../../support/test-prefix.js';
import { useJobs } from './jobs-fixture.js';

const jobs = useJobs('again');
const connection = new RedisConnection({ connection: { url: REDIS_URL } });
afterAll(() => connection.close());

/** Sends one settle call under a name, as the claim loop does. */
function send(name: CallName, outcomes: JobOutcome[] = [], limit = 2) {
  const space = new KeySpace(jobs.prefix, 'jobs', jobs.queue);
  const terms = { limit, leaseMs: 30_000, attempts: 3, types: [] };
  const args = settleArguments(outcomes, terms, JOBS_DEFAULTS);
  return settleScript.run(connection, space, { ...args, ...name });
}

const FIRST = { holder: 'one', seat: 0, call: 1 };
const NEXT = { holder: 'one', seat: 0, call: 2 };

describe('a call that is asked again', () => {
  beforeEach(async () => {
    for (let n = 0; n < 5; n++) await jobs.add({ payload: n });
  });

  test('answers as it did, and claims nothing more', async () => {
    const first = await send(FIRST);
    expect(first.claimed).toHaveLength(2);
    expect(await send(FIRST)).toEqual(first);
    expect(await jobs.driver.stats()).toMatchObject({ running: 2, pending: 3 });
  });

  test('begins the leases anew', async () => {
    const { claimed } = await send(FIRST);
    await jobs.redis.zadd(jobs.key('running'), 1, claimed[0].id);
    await send(FIRST);
    expect(Number(await jobs.redis.zscore(jobs.key('running'), claimed[0].id))).toBeGreaterThan(
      Date.now(),
    );
  });

  test('repeats the codes of what it settled, also where that is not kept', async () => {
    const { claimed } = await send(FIRST);
    const [done, back] = claimed.map(({ id, fence }) => ({ id, token: String(fence) }));
    const outcomes: JobOutcome[] = [
      { verb: 'ack', ...done, result: '' },
      { verb: 'release', ...back, delayMs: 0, reason: '' },
      { verb: 'ack', id: 'nobody', token: '1', result: '' },
    ];
    const reply = await send(NEXT, outcomes);
    await jobs.driver.drop(done.id);
    expect(reply.codes).toEqual([1, 0, 1]);
    expect(await send(NEXT, outcomes)).toEqual(reply);
    expect(await jobs.driver.stats()).toMatchObject({ running: 2, pending: 2 });
  });

  test('leaves out what was cancelled, recovered or dropped meanwhile', async () => {
    const { claimed } = await send(FIRST, [], 4);
    await jobs.driver.cancel(claimed[0].id);
    await jobs.redis.zadd(jobs.key('running'), 1, claimed[1].id);
    await jobs.driver.recoverOrphans();
    expect(await send(FIRST, [], 4)).toMatchObject({ claimed: claimed.slice(2) });
  });

  test('comes too late once the next call had its seat: it claims nothing', async () => {
    await send(NEXT);
    await expect(send(FIRST)).rejects.toThrow(/LATE/);
    expect(await jobs.driver.stats()).toMatchObject({ running: 2, pending: 3 });
  });

  test.each([
    ['the next call of the holder', NEXT],
    ['another seat of the holder', { holder: 'one', seat: 1, call: 1 }],
    ['another holder', { holder: 'other', seat: 0, call: 1 }],
    ['a call whose number begins alike', { holder: 'one', seat: 0, call: 11 }],
  ])('is not taken for %s', async (_, other) => {
    const first = await send(FIRST);
    const second = await send(other);
    expect(second.claimed).toHaveLength(2);
    const ids = [...first.claimed, ...second.claimed].map(({ id }) => id);
    expect(new Set(ids).size).toBe(4);
  });

  test('is known for ten minutes, by one key a seat', async () => {
    for (let call = 1; call <= 3; call++) await send({ holder: 'one', seat: 0, call }, [], 1);
    const keys = (await jobs.keys()).filter((key) => key.startsWith('call:'));
    expect(keys).toEqual(['call:one:0']);
    const life = await jobs.redis.pttl(jobs.key(keys[0]));
    expect([life > 0, life <= 600_000]).toEqual([true, true]);
  });

  test('is known also when it found nothing, so that its first sending finds no more', async () => {
    await send(FIRST, [], 5);
    expect((await send(NEXT)).claimed).toEqual([]);
    await jobs.add();
    expect((await send(NEXT)).claimed).toEqual([]);
    expect((await send({ ...NEXT, call: 3 })).claimed).toHaveLength(1);
  });

  test('does not shorten a lease that was prolonged meanwhile', async () => {
    const { claimed } = await send(FIRST);
    const handle = { id: claimed[0].id, token: String(claimed[0].fence) };
    await jobs.driver.extend([handle], { leaseMs: 600_000 });
    const until = await jobs.redis.zscore(jobs.key('running'), handle.id);
    await send(FIRST);
    expect(await jobs.redis.zscore(jobs.key('running'), handle.id)).toBe(until);
  });

  test('leaves nothing behind when it neither settled nor claimed', async () => {
    await send(FIRST, [{ verb: 'ack', id: 'nobody', token: '1', result: '' }], -1);
    expect((await jobs.keys()).filter((key) => key.startsWith('call:'))).toEqual([]);
  });
});
