import { jest } from '@jest/globals';
import { createJobsEngine } from '../../../lib/jobs/index.js';
import { RedisConnection } from '../../../lib/redis/index.js';
import { FaultyProxy } from '../../support/faulty-proxy.js';
import { REDIS_URL } from '../../support/test-prefix.js';
import { idsOf, useJobs } from './jobs-fixture.js';

const jobs = useJobs('delays');

describe('a delayed job', () => {
  test('is scheduled until it is due by the clock of the server', async () => {
    const before = await jobs.now();
    const id = await jobs.add({ delayMs: 60_000 });
    const record = await jobs.driver.get(id);
    expect(record?.status).toBe('scheduled');
    expect(record?.notBefore).toBeGreaterThanOrEqual(before + 60_000);
    expect(record?.notBefore).toBeLessThan(before + 70_000);
    expect(await jobs.take()).toEqual([]);
  });

  test('due at a time keeps that time', async () => {
    const notBefore = (await jobs.now()) + 60_000;
    const id = await jobs.add({ notBefore });
    expect(await jobs.driver.get(id)).toMatchObject({ status: 'scheduled', notBefore });
  });

  test.each([{ delayMs: 0 }, { notBefore: 0 }, { notBefore: 1 }, {}])(
    'without a delay is pending at once: %p',
    async (due) => {
      const id = await jobs.add(due);
      expect(await jobs.driver.get(id)).toMatchObject({ status: 'pending', notBefore: null });
      expect(idsOf(await jobs.take())).toEqual([id]);
    },
  );

  test.each([2 ** 31, 60 * 86_400_000, 100 * 365 * 86_400_000])(
    'of %d ms does not run at once',
    async (delayMs) => {
      const id = await jobs.add({ delayMs });
      const { notBefore } = (await jobs.driver.get(id)) ?? {};
      expect(notBefore).toBeGreaterThan((await jobs.now()) + delayMs - 60_000);
      expect(await jobs.take()).toEqual([]);
      expect((await jobs.upkeep()).nextInMs).toBeGreaterThan(delayMs - 60_000);
    },
  );

  test('comes after 2 s, not before, without other traffic or upkeep', async () => {
    const id = await jobs.add({ delayMs: 2_000 });
    expect(await jobs.take()).toEqual([]);
    const begun = performance.now();
    const [job] = await jobs.driver.dequeue({ waitMs: 10_000 });
    expect(job.id).toBe(id);
    expect(performance.now() - begun).toBeGreaterThan(1_900);
    expect(performance.now() - begun).toBeLessThan(4_000);
    const { notBefore } = (await jobs.driver.get(id)) ?? {};
    expect(notBefore).toBe(null);
  });

  test('keeps its priority when it becomes due', async () => {
    const low = await jobs.add({ priority: 1 });
    const high = await jobs.add({ priority: 2, delayMs: 60_000 });
    await jobs.makeDue();
    expect(idsOf(await jobs.take())).toEqual([high, low]);
  });

  test('goes by no clock but the server: producers and workers may be off by minutes', async () => {
    const clock = jest.spyOn(Date, 'now');
    try {
      clock.mockImplementation(() => Number(process.hrtime.bigint() / 1_000_000n) + 300_000);
      const id = await jobs.add({ delayMs: 500 });
      clock.mockImplementation(() => 1_000_000);
      expect(await jobs.take()).toEqual([]);
      clock.mockImplementation(() => Number.MAX_SAFE_INTEGER / 2);
      expect(await jobs.take()).toEqual([]);
      expect((await jobs.driver.get(id))?.status).toBe('scheduled');
      await jobs.makeDue();
      const job = await jobs.takeOne({ leaseMs: 60_000 });
      await jobs.upkeep();
      expect(await jobs.driver.extend([job])).toEqual(['extended']);
    } finally {
      clock.mockRestore();
    }
  });
});

describe('promotion', () => {
  test('of 50,000 due jobs goes in bounded calls, and none is lost', async () => {
    const total = 50_000;
    const batch = Array.from({ length: 5_000 }, (_, n) => ({
      type: `t${n % 3}`,
      payload: n,
      delayMs: 3_600_000,
    }));
    for (let at = 0; at < total; at += batch.length) await jobs.driver.enqueueMany(batch);
    await jobs.makeDue();
    await jobs.upkeep();
    expect(await jobs.driver.stats()).toMatchObject({ pending: 100, scheduled: total - 100 });
    const wide = [jobs.process({ promoteLimit: 500 }), jobs.process({ promoteLimit: 500 })];
    const sweep = async (upkeep: () => Promise<{ nextInMs: number }>) => {
      while ((await upkeep()).nextInMs === 0) {
        const { pending, scheduled } = await jobs.driver.stats();
        expect(pending + scheduled).toBe(total);
      }
    };
    await Promise.all(wide.map(({ upkeep }) => sweep(upkeep)));
    expect(await jobs.driver.stats()).toMatchObject({ pending: total, scheduled: 0 });
    jobs.isDamaged = true; // sound by the count; a walk over all of it takes a second
  });

  test('by two at once moves no job twice', async () => {
    const other = jobs.process();
    for (let round = 0; round < 20; round++) {
      for (let n = 0; n < 5; n++) await jobs.add({ delayMs: 3_600_000 });
      await jobs.makeDue();
      await Promise.all([jobs.upkeep(), other.upkeep(), jobs.take({ limit: 2 })]);
      const { pending, scheduled, running } = await jobs.driver.stats();
      expect([pending + running, scheduled]).toEqual([5 * (round + 1), 0]);
    }
  });

  test('tells upkeep how long nothing is due', async () => {
    expect((await jobs.upkeep()).nextInMs).toBe(Infinity);
    await jobs.add({ delayMs: 60_000 });
    const { nextInMs } = await jobs.upkeep();
    expect(nextInMs).toBeGreaterThan(50_000);
    expect(nextInMs).toBeLessThanOrEqual(60_000);
  });
});

test('a delayed job whose reply was lost is repeated as it was, once', async () => {
  const proxy = await FaultyProxy.start(Number(new URL(REDIS_URL).port));
  const connection = new RedisConnection({
    connection: { url: proxy.url },
    commandTimeoutMs: 300,
  });
  try {
    const { driver } = createJobsEngine({ connection, prefix: jobs.prefix });
    const queue = driver.queue(jobs.queue);
    await queue.stats();
    proxy.dropReplies();
    const adding = queue.enqueue({ type: 'a', payload: 1, delayMs: 3_600_000, id: 'one' });
    const outcome = adding.catch((error: unknown) => error);
    const written = jobs.redis;
    while ((await written.exists(jobs.key('data'))) === 0) await new Promise(setImmediate);
    proxy.cut();
    proxy.resume();
    await outcome;
    await queue.enqueue({ type: 'a', payload: 1, delayMs: 3_600_000, id: 'one' });
    expect(await jobs.driver.stats()).toMatchObject({ scheduled: 1, pending: 0 });
  } finally {
    await connection.close();
    await proxy.stop();
  }
});
