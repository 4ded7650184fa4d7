import { jest } from '@jest/globals';
import { idsOf, useJobs } from './jobs-fixture.js';

const jobs = useJobs('sizes');
jest.setTimeout(60_000);

describe('bulk calls of any size are bounded inside', () => {
  test.each([7_999, 8_001])('%d jobs go in, run, fail, come back and end', async (count) => {
    const list = Array.from({ length: count }, (_, n) => ({ type: `t${n % 2}`, payload: n }));
    const results = await jobs.driver.enqueueMany(list);
    expect(new Set(idsOf(results)).size).toBe(count);
    const held = [];
    for (let part = await jobs.take(); part.length > 0; part = await jobs.take())
      held.push(...part);
    expect(idsOf(held)).toEqual(idsOf(results));
    expect(await jobs.driver.extend(held)).toEqual(Array(count).fill('extended'));
    expect(await jobs.driver.recoverOrphans({ olderThanMs: 0 })).toBe(count);
    expect((await jobs.driver.stats()).pending).toBe(count);
    const cancelled = idsOf(results).slice(0, 2_000);
    await Promise.all(cancelled.map((id) => jobs.driver.cancel(id)));
    expect(await jobs.driver.stats()).toMatchObject({ pending: count - 2_000, cancelled: 2_000 });
  });

  test('50,000 jobs go in with one call', async () => {
    const list = Array.from({ length: 50_000 }, (_, n) => ({ type: 'a', payload: n }));
    await jobs.driver.enqueueMany(list);
    expect((await jobs.driver.stats()).pending).toBe(50_000);
    const { total } = await jobs.driver.list({ status: 'pending', offset: 9_999 });
    expect(total).toBe(50_000);
    jobs.isDamaged = true; // sound by the count; a walk over all of it takes a second
  });

  test('large payloads travel in several calls', async () => {
    const payload = 'x'.repeat(1_000_000);
    const list = Array.from({ length: 12 }, () => ({ type: 'a', payload }));
    await jobs.driver.enqueueMany(list);
    const held = await jobs.take();
    expect(held.map((job) => job.payload === payload)).toEqual(Array(12).fill(true));
  });
});

describe('types', () => {
  test('of which 1,000 may have pending jobs, one more is refused, before any write', async () => {
    const list = Array.from({ length: 1_000 }, (_, n) => ({ type: `t${n}`, payload: n }));
    await jobs.driver.enqueueMany(list);
    const before = await jobs.redis.hlen(jobs.key('data'));
    const adding = jobs.driver.enqueue({ type: 'one more', payload: 1 });
    await expect(adding).rejects.toMatchObject({ code: 'TOO_MANY_TYPES', retryable: true });
    expect(await jobs.redis.hlen(jobs.key('data'))).toBe(before);
    await jobs.add({ type: 't5' }); // one that is there already
    await jobs.takeOne({ types: ['t7'] });
    await jobs.add({ type: 'one more' }); // there is room again
    expect(await jobs.take({ types: list.map(({ type }) => type) })).toHaveLength(500);
  });

  test('a batch with one type too many takes in the others', async () => {
    const list = Array.from({ length: 1_000 }, (_, n) => ({ type: `t${n}`, payload: n }));
    await jobs.driver.enqueueMany(list.slice(0, 999));
    const adding = ['a', 'b', 't5', 'a'].map((type) => jobs.driver.enqueue({ type, payload: 1 }));
    const outcomes = await Promise.allSettled(adding);
    expect(outcomes.map(({ status }) => status)).toEqual([
      'fulfilled',
      'rejected',
      'fulfilled',
      'fulfilled',
    ]);
  });
});

test('a full life of 2,000 jobs leaves only bounded keys behind', async () => {
  const nothing = { keepDone: { count: 0 }, keepFailed: { count: 0 }, keepCancelled: { count: 0 } };
  const { driver, upkeep } = jobs.process(nothing);
  for (let from = 0; from < 2_000; from += 500) {
    const list = Array.from({ length: 500 }, (_, n) => ({
      type: `type${from + n}`,
      payload: n,
      coalesceBy: `key${from + n}`,
      id: `job${from + n}`,
      ...(n % 5 === 0 && { delayMs: 3_600_000 }),
    }));
    await driver.enqueueMany(list);
    await jobs.makeDue();
    const held = await driver.dequeue({ limit: 500 });
    expect(held).toHaveLength(500);
    await Promise.all(
      held.map(async (job, n) => {
        if (n % 4 === 0) await driver.cancel(job.id);
        else if (n % 4 === 1) await driver.fail(job, 'x', { retry: false });
        else await driver.ack(job, n);
      }),
    );
  }
  while ((await upkeep()).nextInMs === 0);
  const keys = await jobs.keys();
  const passing = keys.filter((key) => /^(signal$|signal:|call:)/.test(key));
  expect(keys.filter((key) => !passing.includes(key))).toEqual(['meta', 'minutes', 'revoked']);
  const lives = await Promise.all(passing.map((key) => jobs.redis.pttl(jobs.key(key))));
  for (const life of lives) expect([life > 0, life <= 600_000]).toEqual([true, true]);
  await jobs.backdate('revoked', 1);
  await upkeep();
  expect(await jobs.redis.exists(jobs.key('revoked'))).toBe(0);
});

test('16 claimers over 2,000 jobs: each exactly once', async () => {
  const list = Array.from({ length: 2_000 }, (_, n) => ({ type: `t${n % 3}`, payload: n }));
  const ids = idsOf(await jobs.driver.enqueueMany(list));
  const seen: string[] = [];
  const claimer = async (limit: number): Promise<void> => {
    const { driver } = jobs.process();
    for (;;) {
      const held = await driver.dequeue({ limit, waitMs: 0 });
      if (held.length === 0) return;
      seen.push(...idsOf(held));
      await Promise.all(held.map((job) => driver.ack(job)));
    }
  };
  await Promise.all(Array.from({ length: 16 }, (_, n) => claimer(n + 1)));
  expect(seen.sort()).toEqual([...ids].sort());
  expect(await jobs.driver.stats()).toMatchObject({ done24h: 2_000, running: 0, pending: 0 });
});
