import { PartialFailureError } from '../../../lib/errors/index.js';
import { MAX_TYPES } from '../../../lib/jobs/jobs.options.js';
import { useJobs } from './jobs-fixture.js';

const jobs = useJobs('partial');

describe('enqueueMany on a queue that has no room for another type', () => {
  beforeEach(async () => {
    const all = Array.from({ length: MAX_TYPES }, (_, n) => ({ type: `T${n}`, payload: n }));
    await jobs.driver.enqueueMany(all);
  });

  test('tells the result of each job where some were taken in', async () => {
    const many = jobs.driver.enqueueMany([
      { type: 'T5', payload: 1, id: 'A' },
      { type: 'new', payload: 1, id: 'B' },
      { type: 'T6', payload: 1, id: 'C' },
    ]);
    const error = (await many.catch((thrown: unknown) => thrown)) as PartialFailureError;
    expect(error).toBeInstanceOf(PartialFailureError);
    expect(error.results).toEqual([
      { id: 'A', created: true },
      expect.objectContaining({ code: 'TOO_MANY_TYPES' }),
      { id: 'C', created: true },
    ]);
    expect(await jobs.driver.get('B')).toBeNull();
  });

  test('rejects with the failure itself where none was', async () => {
    await expect(jobs.driver.enqueueMany([{ type: 'new', payload: 1 }])).rejects.toMatchObject({
      code: 'TOO_MANY_TYPES',
    });
  });
});

test('headers beyond 16 KiB are refused before a write', async () => {
  const headers = { big: 'x'.repeat(16_384) };
  await expect(jobs.driver.enqueue({ type: 'a', payload: 1, headers })).rejects.toMatchObject({
    code: 'INVALID_OPTION',
    option: 'headers',
  });
  expect((await jobs.driver.stats()).pending).toBe(0);
});

test('the oldest waiting job shows behind one that was given back and above a lower priority', async () => {
  await jobs.add({ priority: 0 });
  await jobs.add({ priority: 0 });
  await new Promise((resolve) => setTimeout(resolve, 60));
  await jobs.driver.release(await jobs.takeOne());
  await jobs.add({ priority: 5 });
  expect((await jobs.driver.stats()).oldestWaitingMs).toBeGreaterThanOrEqual(60);
});

test('a queue without a name is not the default queue', () => {
  expect(() => jobs.driver.queue(undefined as never)).toThrow(/^queue/);
});

test('the largest number of attempts leaves a sound record', async () => {
  await jobs.add();
  const target = { queue: jobs.queue, slots: 1, leaseMs: 30_000, attempts: 1_000_000 };
  const source = jobs.engine.source(target);
  const { signal } = new AbortController();
  const [delivery] = await source.claim({ limit: 1, signal });
  await delivery.extend();
  await delivery.ack();
  expect((await jobs.driver.stats()).done).toBe(1);
});

test('a page by type shows no more than its limit and counts all', async () => {
  for (let n = 0; n < 12; n++)
    await jobs.add({ type: n % 3 === 0 ? 'rare' : 'often', delayMs: 60_000 });
  const page = await jobs.driver.list({ status: 'scheduled', type: 'rare', limit: 2, offset: 1 });
  expect([page.jobs.length, page.total]).toEqual([2, 4]);
});
