import { JobNotFoundError, JobStateError } from '../../../lib/errors/index.js';
import { idsOf, useJobs } from './jobs-fixture.js';

const jobs = useJobs('retry-cancel');

/** Brings a new job into a state. */
const INTO = {
  pending: () => jobs.add(),
  scheduled: () => jobs.add({ delayMs: 60_000 }),
  running: async () => (await jobs.addAndTake()).id,
  done: async () => {
    const job = await jobs.addAndTake();
    await jobs.driver.ack(job);
    return job.id;
  },
  failed: async () => {
    const job = await jobs.addAndTake();
    await jobs.driver.fail(job, 'no luck', { retry: false });
    return job.id;
  },
  cancelled: async () => {
    const id = await jobs.add();
    await jobs.driver.cancel(id);
    return id;
  },
} as const;
type State = keyof typeof INTO;
const STATES = Object.keys(INTO) as State[];

describe('retry', () => {
  test('makes a failed job claimable now, attempts carried on', async () => {
    const id = await INTO.failed();
    await jobs.driver.retry(id);
    expect(await jobs.driver.get(id)).toMatchObject({
      status: 'pending',
      attempts: 1,
      lastError: null,
      startedAt: null,
      finishedAt: null,
    });
    expect(await jobs.takeOne()).toMatchObject({ id, attempt: 2 });
  });

  test('grants one more run to a job without an attempt left', async () => {
    const id = await jobs.add({ maxAttempts: 1 });
    await jobs.driver.fail(await jobs.takeOne(), 'x', { retry: false });
    await jobs.driver.retry(id);
    const job = await jobs.takeOne();
    expect(job.attempt).toBe(2);
    await jobs.driver.ack(job);
    expect(await jobs.statusOf(id)).toBe('done');
  });

  test('after too many recoveries grants them anew', async () => {
    const strict = jobs.process({ maxRecoveries: 0 });
    const id = await jobs.add({ maxAttempts: 10 });
    await jobs.takeOne();
    await jobs.lapse();
    await strict.upkeep();
    expect(await jobs.driver.get(id)).toMatchObject({ status: 'failed', recoveries: 1 });
    await jobs.driver.retry(id);
    expect(await jobs.driver.get(id)).toMatchObject({ status: 'pending', recoveries: 0 });
  });

  test.each(STATES.filter((state) => state !== 'failed'))('refuses a %s job', async (state) => {
    const id = await INTO[state]();
    const before = await jobs.snapshot();
    await expect(jobs.driver.retry(id)).rejects.toMatchObject({
      code: 'JOB_STATE',
      jobId: id,
      from: state,
      wanted: 'failed',
    });
    await expect(jobs.driver.retry(id)).rejects.toBeInstanceOf(JobStateError);
    expect(await jobs.snapshot()).toEqual(before);
  });

  test.each(STATES)('drop deletes a job only when it has failed: %s', async (state) => {
    const id = await INTO[state]();
    const before = await jobs.snapshot();
    expect(await jobs.driver.drop(id)).toBe(state === 'failed');
    expect(await jobs.driver.drop(id)).toBe(false);
    if (state === 'failed') expect(await jobs.driver.get(id)).toBe(null);
    else expect(await jobs.snapshot()).toEqual(before);
  });
});

describe('cancel', () => {
  test.each(['pending', 'scheduled', 'running'] as const)('ends a %s job', async (state) => {
    const id = await INTO[state]();
    await jobs.driver.cancel(id);
    const record = await jobs.driver.get(id);
    expect(record).toMatchObject({ status: 'cancelled', notBefore: null });
    expect(record?.finishedAt).toBeGreaterThanOrEqual(record?.enqueuedAt ?? NaN);
    await jobs.upkeep();
    expect(await jobs.take()).toEqual([]);
    expect(await jobs.driver.stats()).toMatchObject({ cancelled: 1, running: 0, scheduled: 0 });
  });

  test('ends a job between two attempts', async () => {
    const job = await jobs.addAndTake();
    await jobs.driver.fail(job, 'flaky', { retryInMs: 60_000 });
    await jobs.driver.cancel(job.id);
    await jobs.makeDue();
    await jobs.upkeep();
    expect(await jobs.take()).toEqual([]);
    expect(await jobs.statusOf(job.id)).toBe('cancelled');
  });

  test.each(['done', 'failed', 'cancelled'] as const)('refuses a %s job', async (state) => {
    const id = await INTO[state]();
    const before = await jobs.snapshot();
    await expect(jobs.driver.cancel(id)).rejects.toMatchObject({ code: 'JOB_STATE', from: state });
    expect(await jobs.snapshot()).toEqual(before);
  });

  test('a cancelled job stays cancelled, whatever its late holder does', async () => {
    const job = await jobs.addAndTake({ maxAttempts: 5 });
    await jobs.driver.cancel(job.id);
    const late = [
      () => jobs.driver.ack(job, 'late'),
      () => jobs.driver.fail(job, 'late'),
      () => jobs.driver.fail(job, 'late', { retry: false }),
      () => jobs.driver.release(job),
    ];
    for (const settle of late) await expect(settle()).rejects.toThrow('it was cancelled');
    await jobs.lapse();
    await jobs.driver.recoverOrphans({ olderThanMs: 0 });
    expect(await jobs.take()).toEqual([]);
    expect(await jobs.driver.get(job.id)).toMatchObject({ status: 'cancelled', lastError: null });
  });

  test('racing a dequeue: exactly one of the two has the job', async () => {
    const other = jobs.process();
    for (let round = 0; round < 150; round++) {
      const id = await jobs.add(round % 2 === 0 ? {} : { delayMs: 1 });
      const [taken, cancelled] = await Promise.all([
        jobs.take({ limit: 1 }),
        other.driver.cancel(id).then(() => true),
      ]);
      expect(cancelled).toBe(true); // a running one can be cancelled, too
      if (taken.length > 0) await expect(jobs.driver.ack(taken[0])).rejects.toThrow('cancelled');
      expect(await jobs.statusOf(id)).toBe('cancelled');
      expect(await jobs.take()).toEqual([]);
    }
    expect(await jobs.driver.stats()).toMatchObject({ cancelled: 150, running: 0, done: 0 });
  });

  test('racing an ack: exactly one of the two wins', async () => {
    const other = jobs.process();
    let done = 0;
    for (let round = 0; round < 100; round++) {
      const job = await jobs.addAndTake();
      const [acked, cancelled] = await Promise.all([
        jobs.driver.ack(job).then(
          () => true,
          () => false,
        ),
        other.driver.cancel(job.id).then(
          () => true,
          () => false,
        ),
      ]);
      expect(acked).toBe(!cancelled);
      expect(await jobs.statusOf(job.id)).toBe(acked ? 'done' : 'cancelled');
      done += acked ? 1 : 0;
    }
    expect(await jobs.driver.stats()).toMatchObject({ done, cancelled: 100 - done });
  });
});

test.each(['cancel', 'retry'] as const)('%s of an unknown id is JobNotFoundError', async (verb) => {
  const before = await jobs.snapshot();
  await expect(jobs.driver[verb]('unknown')).rejects.toBeInstanceOf(JobNotFoundError);
  await expect(jobs.driver[verb]('unknown')).rejects.toMatchObject({ jobId: 'unknown' });
  expect(await jobs.driver.drop('unknown')).toBe(false);
  expect(await jobs.driver.get('unknown')).toBe(null);
  expect(await jobs.snapshot()).toEqual(before);
});

test('the dead letters are the failed jobs', async () => {
  const letters = jobs.engine.deadLetters(jobs.queue);
  const id = await INTO.failed();
  await INTO.done();
  expect(await letters.count()).toBe(1);
  expect(await letters.list()).toMatchObject([{ id, reason: 'no luck', attempts: 1 }]);
  expect(await letters.redrive(id)).toBe(true);
  expect(idsOf(await jobs.take())).toEqual([id]);
});
