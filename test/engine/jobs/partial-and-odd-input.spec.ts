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
