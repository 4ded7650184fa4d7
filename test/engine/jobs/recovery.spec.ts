import { LeaseLostError } from '../../../lib/errors/index.js';
import { idsOf, useJobs } from './jobs-fixture.js';

const jobs = useJobs('recovery');

describe('recoverOrphans without an option', () => {
  test('takes back the jobs whose lease is over, the attempt counts', async () => {
    const id = await jobs.add();
    await jobs.takeOne();
    await jobs.lapse();
    const held = await jobs.addAndTake({ maxAttempts: 5 });
    expect(await jobs.driver.recoverOrphans()).toBe(1);
    expect(await jobs.driver.get(id)).toMatchObject({
      status: 'pending',
      attempts: 1,
      recoveries: 1,
      startedAt: null,
    });
    expect(await jobs.statusOf(held.id)).toBe('running');
    expect(await jobs.driver.recoverOrphans()).toBe(0);
    expect(await jobs.takeOne()).toMatchObject({ id, attempt: 2 });
  });

  test('leaves a lease that was extended', async () => {
    const job = await jobs.addAndTake({ maxAttempts: 5 });
    await jobs.lapse();
    expect(await jobs.driver.extend([job], { leaseMs: 60_000 })).toEqual(['extended']);
    expect(await jobs.driver.recoverOrphans()).toBe(0);
    await jobs.driver.ack(job);
  });

  test('happens by upkeep, too, and by itself when the lease is over', async () => {
    const job = await jobs.addAndTake();
    await jobs.lapse();
    await jobs.upkeep();
    expect(await jobs.statusOf(job.id)).toBe('pending');
    const again = await jobs.takeOne({ leaseMs: 150 });
    const { nextInMs } = await jobs.upkeep();
    expect(nextInMs).toBeLessThanOrEqual(150);
    await new Promise((resolve) => setTimeout(resolve, nextInMs + 1));
    await jobs.upkeep();
    expect(await jobs.statusOf(again.id)).toBe('pending');
  });

  test('does not flip a job that has ended meanwhile', async () => {
    for (let round = 0; round < 40; round++) {
      const job = await jobs.addAndTake({ maxAttempts: 5 });
      await jobs.lapse();
      const [acked, recovered] = await Promise.all([
        jobs.driver.ack(job).then(
          () => 1,
          () => 0,
        ),
        jobs.process().driver.recoverOrphans(),
      ]);
      expect(acked + recovered).toBe(1);
      expect(await jobs.statusOf(job.id)).toBe(acked ? 'done' : 'pending');
      if (recovered) await jobs.driver.cancel(job.id);
    }
  });
});

describe('recoverOrphans with olderThanMs', () => {
  test('0 takes back all, lease or not, and voids the holders', async () => {
    const job = await jobs.addAndTake();
    expect(await jobs.driver.recoverOrphans({ olderThanMs: 0 })).toBe(1);
    expect(await jobs.driver.get(job.id)).toMatchObject({ status: 'pending', attempts: 1 });
    await expect(jobs.driver.ack(job)).rejects.toBeInstanceOf(LeaseLostError);
  });

  test('an hour leaves what has just started, lease or not', async () => {
    const job = await jobs.addAndTake();
    await jobs.lapse();
    expect(await jobs.driver.recoverOrphans({ olderThanMs: 3_600_000 })).toBe(0);
    expect(await jobs.statusOf(job.id)).toBe('running');
  });

  test('goes by the start of the run', async () => {
    const old = await jobs.addAndTake();
    await new Promise((resolve) => setTimeout(resolve, 400));
    await jobs.add();
    const young = await jobs.takeOne();
    expect(await jobs.driver.recoverOrphans({ olderThanMs: 300 })).toBe(1);
    expect(await jobs.statusOf(old.id)).toBe('pending');
    expect(await jobs.statusOf(young.id)).toBe('running');
  });
});

describe('many orphans', () => {
  test.each([{}, { olderThanMs: 0 }])('come back in bounded calls: %p', async (options) => {
    const list = Array.from({ length: 1_250 }, (_, n) => ({ type: `t${n % 2}`, payload: n }));
    const ids = idsOf(await jobs.driver.enqueueMany(list));
    for (let n = 0; n < 3; n++) await jobs.take();
    await jobs.lapse();
    const before = await jobs.driver.stats();
    expect(before.running).toBe(1_250);
    expect(await jobs.driver.recoverOrphans(options)).toBe(1_250);
    const again = [...(await jobs.take()), ...(await jobs.take()), ...(await jobs.take())];
    expect(idsOf(again)).toEqual(ids);
  });

  test('old ones among young ones are all found', async () => {
    const small = jobs.process({ promoteLimit: 3 });
    for (let n = 0; n < 20; n++) await jobs.add();
    const leases = [60_000, 1_000, 30_000, 2_000];
    const old = [];
    for (let n = 0; n < 10; n++) old.push(await jobs.takeOne({ leaseMs: leases[n % 4] }));
    await new Promise((resolve) => setTimeout(resolve, 500));
    for (let n = 0; n < 10; n++) await jobs.takeOne({ leaseMs: leases[n % 4] });
    expect(await small.driver.recoverOrphans({ olderThanMs: 450 })).toBe(10);
    const { jobs: pending } = await jobs.driver.list({ status: 'pending' });
    expect(idsOf(pending)).toEqual(idsOf(old));
  });

  test('two recoveries at once take each back once', async () => {
    await jobs.driver.enqueueMany(Array.from({ length: 300 }, () => ({ type: 'a', payload: 0 })));
    await jobs.take();
    await jobs.lapse();
    const other = jobs.process();
    const counts = await Promise.all([
      jobs.driver.recoverOrphans(),
      other.driver.recoverOrphans({ olderThanMs: 0 }),
      other.upkeep().then(() => 0),
    ]);
    expect(counts[0] + counts[1]).toBeLessThanOrEqual(300);
    const { jobs: pending, total } = await jobs.driver.list({ status: 'pending', limit: 300 });
    expect([total, new Set(pending.map(({ recoveries }) => recoveries))]).toEqual([
      300,
      new Set([1]),
    ]);
  });
});

describe('a job that kills its process', () => {
  const crash = async (): Promise<void> => {
    await jobs.takeOne({ types: ['work'] });
    await jobs.lapse();
    await jobs.upkeep();
  };

  test('is failed after maxRecoveries, and the good ones run', async () => {
    const id = await jobs.add({ maxAttempts: 100, priority: 1 });
    for (let n = 0; n < 20; n++) await jobs.add({ type: 'good' });
    for (let n = 1; n <= 3; n++) {
      await crash();
      expect(await jobs.driver.get(id)).toMatchObject({ status: 'pending', recoveries: n });
    }
    await crash();
    const failed = await jobs.driver.get(id);
    expect(failed).toMatchObject({ status: 'failed', recoveries: 4, attempts: 4 });
    expect(failed?.lastError).toContain('maxRecoveries (3)');
    expect(await jobs.take()).toHaveLength(20);
  });

  test('is failed when no attempt is left', async () => {
    const id = await jobs.add({ maxAttempts: 2 });
    await crash();
    expect(await jobs.statusOf(id)).toBe('pending');
    await crash();
    const failed = await jobs.driver.get(id);
    expect(failed).toMatchObject({ status: 'failed', attempts: 2 });
    expect(failed?.lastError).toContain('no attempt is left');
  });

  test('has 3 attempts unless its producer or processor says otherwise', async () => {
    const id = await jobs.add();
    for (let n = 0; n < 3; n++) await crash();
    expect(await jobs.driver.get(id)).toMatchObject({ status: 'failed', attempts: 3 });
    const other = await jobs.add({ payload: 'by a loop of 1 attempt' });
    const target = { queue: jobs.queue, slots: 1, leaseMs: 30_000, attempts: 1 };
    const source = jobs.engine.source(target);
    await source.claim({ limit: 1, signal: new AbortController().signal });
    await jobs.lapse();
    await jobs.upkeep();
    expect(await jobs.driver.get(other)).toMatchObject({ status: 'failed', attempts: 1 });
  });

  test('with a failed recovery frees its coalescing key', async () => {
    await jobs.add({ maxAttempts: 1, coalesceBy: 'k' });
    await crash();
    const again = await jobs.driver.enqueue({ type: 'work', payload: 0, coalesceBy: 'k' });
    expect(again.created).toBe(true);
  });
});

test('taking back everything that runs counts each job once, also while they are claimed anew', async () => {
  await jobs.driver.enqueueMany(Array.from({ length: 250 }, (_, n) => ({ type: 'a', payload: n })));
  await jobs.driver.dequeue({ limit: 250 });
  const other = jobs.process().driver;
  let isOver = false;
  const claimer = (async () => {
    while (!isOver) await other.dequeue({ limit: 50, waitMs: 0 });
  })();
  expect(await jobs.driver.recoverOrphans({ olderThanMs: 0 })).toBe(250);
  isOver = true;
  await claimer;
  expect((await jobs.driver.stats()).failed).toBe(0);
});
