import type { ClaimedJob, DequeueOptions } from '../../../lib/jobs/index.js';
import { useJobs } from './jobs-fixture.js';

const jobs = useJobs('waking');

/** How late a job may come on a busy machine; a missed one comes after 5 s. */
const LATE_MS = 1_000;

/** A claim in a process of its own that has looked and waits. */
async function waiting(options: DequeueOptions): Promise<{ claimed: Promise<ClaimedJob[]> }> {
  const { driver, untilWaiting } = jobs.process();
  const claimed = driver.dequeue({ waitMs: 20_000, ...options });
  await untilWaiting();
  return { claimed };
}

/** How long after its due time the job came. */
async function lateness(claimed: Promise<ClaimedJob[]>, dueAt: number): Promise<number> {
  expect(await claimed).toHaveLength(1);
  return (await jobs.now()) - dueAt;
}

const WAITERS: readonly (readonly [string, DequeueOptions])[] = [
  ['unfiltered', {}],
  ['filtered', { types: ['work'] }],
];

describe.each(WAITERS)('an %s claim that waits', (_, options) => {
  test('takes a job that becomes due, without any other traffic', async () => {
    const { claimed } = await waiting(options);
    const notBefore = (await jobs.now()) + 400;
    await jobs.add({ notBefore });
    const late = await lateness(claimed, notBefore);
    expect(late).toBeGreaterThanOrEqual(0);
    expect(late).toBeLessThan(LATE_MS);
  });

  test('shortens its wait when a nearer job comes, and again', async () => {
    await jobs.add({ delayMs: 3_600_000 });
    const { claimed } = await waiting(options);
    await jobs.add({ delayMs: 60_000 });
    await jobs.add({ delayMs: 30_000 });
    const notBefore = (await jobs.now()) + 300;
    const id = await jobs.add({ notBefore });
    expect(await lateness(claimed, notBefore)).toBeLessThan(LATE_MS);
    expect((await claimed)[0].id).toBe(id);
  });

  test('lets a cancelled nearest job pass and takes the next in time', async () => {
    const { claimed } = await waiting(options);
    const now = await jobs.now();
    const nearest = await jobs.add({ notBefore: now + 250 });
    const next = await jobs.add({ notBefore: now + 500 });
    await jobs.driver.cancel(nearest);
    expect(await lateness(claimed, now + 500)).toBeLessThan(LATE_MS);
    expect((await claimed)[0].id).toBe(next);
  });

  test('is not held up by due jobs of types that nobody takes', async () => {
    const foreign = Array.from({ length: 300 }, (__, n) => ({
      type: `foreign${n % 7}`,
      payload: n,
      delayMs: 100,
    }));
    if ('types' in options) await jobs.driver.enqueueMany(foreign);
    const { claimed } = await waiting(options);
    const notBefore = (await jobs.now()) + 400;
    const id = await jobs.add({ notBefore });
    expect(await lateness(claimed, notBefore)).toBeLessThan(LATE_MS);
    expect((await claimed)[0].id).toBe(id);
  });

  test('takes a retry when its delay is over', async () => {
    const job = await jobs.addAndTake();
    const { claimed } = await waiting(options);
    const due = (await jobs.now()) + 300;
    await jobs.driver.fail(job, 'flaky', { retryInMs: 300 });
    expect(await lateness(claimed, due)).toBeLessThan(LATE_MS);
  });

  test('takes a job that came due while the queue was paused, once it resumes', async () => {
    await jobs.driver.pause();
    await jobs.add({ delayMs: 200 });
    const { claimed } = await waiting(options);
    await new Promise((resolve) => setTimeout(resolve, 300));
    const resumedAt = await jobs.now();
    await jobs.driver.resume();
    expect(await lateness(claimed, resumedAt)).toBeLessThan(LATE_MS);
  });
});

test('a filtered claim hears of a job of its type although a foreign one is due earlier', async () => {
  const { claimed } = await waiting({ types: ['work'] });
  const now = await jobs.now();
  await jobs.add({ type: 'foreign', notBefore: now + 300 });
  await jobs.add({ type: 'work', notBefore: now + 500 });
  expect(await lateness(claimed, now + 500)).toBeLessThan(LATE_MS);
});
