import { idsOf, useJobs } from './jobs-fixture.js';

const jobs = useJobs('retention');
const MINUTE_MS = 60_000;

/** Ends `count` jobs, one after the other, in a process with these options. */
async function end(
  verb: 'done' | 'failed' | 'cancelled',
  count: number,
  options: object,
): Promise<string[]> {
  const { driver } = jobs.process(options);
  const ids: string[] = [];
  for (let n = 0; n < count; n++) {
    ids.push(await jobs.add());
    if (verb === 'cancelled') await driver.cancel(ids[n]);
    else if (verb === 'done') await driver.ack(await jobs.takeOne(), n);
    else await driver.fail(await jobs.takeOne(), 'x', { retry: false });
  }
  return ids;
}

const KEPT = { done: 'keepDone', failed: 'keepFailed', cancelled: 'keepCancelled' } as const;
const VERBS = ['done', 'failed', 'cancelled'] as const;

describe.each(VERBS)('%s jobs', (verb) => {
  test('are kept up to a count, the oldest fall off with their records', async () => {
    const ids = await end(verb, 8, { [KEPT[verb]]: { count: 3 } });
    const { jobs: kept, total } = await jobs.driver.list({ status: verb });
    expect([idsOf(kept), total]).toEqual([ids.slice(-3).reverse(), 3]);
    for (const id of ids.slice(0, 5)) expect(await jobs.driver.get(id)).toBe(null);
    expect(await jobs.redis.hlen(jobs.key('data'))).toBe(3);
    expect(await jobs.redis.hlen(jobs.key('state'))).toBe(3);
    expect(await jobs.redis.hlen(jobs.key('result'))).toBe(verb === 'done' ? 3 : 0);
  });

  test('are not kept at all with count 0', async () => {
    await end(verb, 3, { [KEPT[verb]]: { count: 0 } });
    expect((await jobs.driver.list({ status: verb })).total).toBe(0);
    for (const table of ['data', 'state', 'result', verb])
      expect(await jobs.redis.exists(jobs.key(table))).toBe(0);
  });

  test('fall off by age, with no traffic but upkeep', async () => {
    const ids = await end(verb, 5, {});
    const limits = { [KEPT[verb]]: { count: 100, ageMs: MINUTE_MS } };
    const { upkeep } = jobs.process(limits);
    const old = (await jobs.now()) - MINUTE_MS;
    for (const id of ids.slice(0, 3)) await jobs.redis.zadd(jobs.key(verb), old - 1, id);
    await upkeep();
    const { jobs: kept } = await jobs.driver.list({ status: verb });
    expect(idsOf(kept).sort()).toEqual(ids.slice(3).sort());
  });

  test('of a lowered count are deleted in bounded calls', async () => {
    const count = 730;
    const list = Array.from({ length: count }, (_, n) => ({ type: 'a', payload: n }));
    await jobs.driver.enqueueMany(list);
    const score = await jobs.now();
    const ids = idsOf([...(await jobs.take()), ...(await jobs.take())]);
    // brought there by hand, since only the trimming counts here
    for (const id of ids) await jobs.redis.zadd(jobs.key(verb), score, id);
    const state = `${verb[0]}1|1|0|3|${score}|${score}|`;
    await jobs.redis.hset(jobs.key('state'), Object.fromEntries(ids.map((id) => [id, state])));
    await jobs.redis.del(jobs.key('running'));
    const { upkeep, driver } = jobs.process({ [KEPT[verb]]: { count: 30 } });
    let calls = 0;
    do {
      expect((await driver.stats())[verb]).toBe(Math.max(30, count - 100 * calls++));
    } while ((await upkeep()).nextInMs === 0);
    expect((await driver.stats())[verb]).toBe(30);
    expect(await jobs.redis.hlen(jobs.key('data'))).toBe(30);
  });
});

test('by default 1,000 done jobs are kept', async () => {
  const list = Array.from({ length: 1_300 }, (_, n) => ({ type: 'a', payload: n }));
  await jobs.driver.enqueueMany(list);
  for (let held = await jobs.take(); held.length > 0; held = await jobs.take())
    await Promise.all(held.map((job) => jobs.driver.ack(job)));
  while ((await jobs.upkeep()).nextInMs === 0);
  expect(await jobs.driver.stats()).toMatchObject({ done: 1_000, done24h: 1_300 });
  expect((await jobs.driver.list({ status: 'done', limit: 1 })).jobs[0].payload).toBe(1_299);
});

describe('done24h', () => {
  const setMinute = (minute: number, count: number) =>
    jobs.redis.hset(jobs.key('minutes'), String(minute), count);

  test('counts acks, whatever is kept, and nothing else', async () => {
    await end('done', 4, { keepDone: { count: 0 } });
    await end('failed', 2, {});
    await end('cancelled', 2, {});
    expect(await jobs.driver.stats()).toMatchObject({ done: 0, done24h: 4, failed: 2 });
  });

  test('is exact to the minute', async () => {
    const minute = Math.floor((await jobs.now()) / MINUTE_MS);
    await setMinute(minute - 1_442, 10_000);
    await setMinute(minute - 1_500, 10_000);
    await setMinute(minute - 1_438, 200);
    await setMinute(minute - 1, 30);
    await end('done', 1, {});
    expect((await jobs.driver.stats()).done24h).toBe(231);
  });

  test.each([
    ['a day', 1_441],
    ['two days', 2_880],
    ['30 days', 43_200],
  ])('drops what is older in bounded steps, after %s without upkeep', async (_, idle) => {
    const minute = Math.floor((await jobs.now()) / MINUTE_MS);
    const fields = Array.from({ length: Math.min(idle, 3_000) }, (__, n) => [
      String(minute - idle - n),
      1,
    ]);
    await jobs.redis.hset(
      jobs.key('minutes'),
      Object.fromEntries(fields) as Record<string, number>,
    );
    await setMinute(minute - 5, 7);
    for (let n = 0; n < 100; n++) await jobs.upkeep();
    const left = await jobs.redis.hkeys(jobs.key('minutes'));
    expect(left.filter((field) => Number(field) < minute - 1_441)).toHaveLength(0);
    expect(left).toContain(String(minute - 5));
    expect((await jobs.driver.stats()).done24h).toBeGreaterThanOrEqual(7);
  });
});
