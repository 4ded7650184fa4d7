import { OperationalError } from '../../../lib/errors/index.js';
import { useJobs } from './jobs-fixture.js';

// a server that can be filled up
const jobs = useJobs('memory', {});

const limit = (bytes: number) => jobs.redis.config('SET', 'maxmemory', bytes);

afterEach(() => limit(0));

test('a full server refuses new jobs before any change, and takes outcomes', async () => {
  for (let n = 0; n < 12; n++) await jobs.add({ payload: n, coalesceBy: `k${n}` });
  const held = await jobs.take({ limit: 10 });
  await jobs.add({ delayMs: 3_600_000 });
  await limit(1);
  const before = await jobs.snapshot();
  const refused = jobs.driver.enqueue({ type: 'work', payload: 0, coalesceBy: 'new' });
  await expect(refused).rejects.toBeInstanceOf(OperationalError);
  await expect(refused).rejects.toMatchObject({ retryable: true, outcomeAmbiguous: false });
  const later = jobs.driver.enqueue({ type: 'work', payload: 0, delayMs: 5_000 });
  await expect(later).rejects.toMatchObject({ retryable: true });
  await expect(jobs.take()).rejects.toMatchObject({ retryable: true });
  expect(await jobs.snapshot()).toEqual(before);
  for (const [n, job] of held.entries()) {
    if (n % 3 === 0) await jobs.driver.ack(job, n);
    else if (n % 3 === 1) await jobs.driver.fail(job, 'x', { retry: false });
    else await jobs.driver.fail(job, 'x', { retryInMs: 0 });
  }
  const [waiting] = (await jobs.driver.list({ status: 'pending' })).jobs;
  await jobs.driver.cancel(waiting.id);
  expect(await jobs.driver.stats()).toMatchObject({ done: 4, failed: 3, cancelled: 1, running: 0 });
  expect(await jobs.driver.audit()).toEqual([]);
});

test('nothing is lost when upkeep runs on a full server', async () => {
  for (let n = 0; n < 6; n++) await jobs.add({ payload: n, maxAttempts: 9 });
  await jobs.take({ limit: 3 });
  await jobs.lapse();
  await jobs.add({ delayMs: 3_600_000 });
  await jobs.makeDue();
  await limit(1);
  await jobs.upkeep().catch(() => undefined);
  expect(await jobs.driver.audit()).toEqual([]);
  await limit(0);
  await jobs.upkeep();
  expect(await jobs.take()).toHaveLength(7);
});
