import type { ClaimedJob } from '../../../lib/jobs/index.js';
import { LeaseLostError } from '../../../lib/errors/index.js';
import { useJobs } from './jobs-fixture.js';

const jobs = useJobs('settling');

type Verb = (job: ClaimedJob) => Promise<unknown>;

const SETTLES: Readonly<Record<string, Verb>> = {
  ack: (job) => jobs.driver.ack(job, 'late'),
  'fail for good': (job) => jobs.driver.fail(job, 'late', { retry: false }),
  'fail with a retry': (job) => jobs.driver.fail(job, 'late', { retryInMs: 0 }),
  'fail with a later retry': (job) => jobs.driver.fail(job, 'late', { retryInMs: 60_000 }),
  release: (job) => jobs.driver.release(job),
  'release with a delay': (job) => jobs.driver.release(job, { delayMs: 60_000 }),
};

describe('failing', () => {
  test('for good parks the job, with the reason', async () => {
    const job = await jobs.addAndTake();
    await jobs.driver.fail(job, new Error('the address is gone'), { retry: false });
    const failed = await jobs.driver.get(job.id);
    expect(failed).toMatchObject({ status: 'failed', lastError: 'the address is gone' });
    expect(failed?.finishedAt).toBeGreaterThanOrEqual(failed?.startedAt ?? NaN);
    expect(await jobs.take()).toEqual([]);
  });

  test('holds the retry off for 30 s unless told otherwise', async () => {
    const job = await jobs.addAndTake();
    const before = await jobs.now();
    await jobs.driver.fail(job, 'flaky');
    const record = await jobs.driver.get(job.id);
    expect(record).toMatchObject({ status: 'scheduled', lastError: 'flaky', finishedAt: null });
    expect(record?.notBefore).toBeGreaterThanOrEqual(before + 30_000);
    expect(record?.notBefore).toBeLessThan(before + 40_000);
    expect(await jobs.take()).toEqual([]);
  });

  test('with a retry at once makes it claimable, the attempt counts', async () => {
    const job = await jobs.addAndTake();
    await jobs.driver.fail(job, 'flaky', { retryInMs: 0 });
    expect(await jobs.takeOne()).toMatchObject({ id: job.id, attempt: 2 });
  });

  test('does not look at maxAttempts', async () => {
    await jobs.add({ maxAttempts: 1 });
    for (let attempt = 1; attempt <= 4; attempt++) {
      const job = await jobs.takeOne();
      expect(job).toMatchObject({ attempt, maxAttempts: 1 });
      await jobs.driver.fail(job, 'x', { retryInMs: 0 });
    }
  });

  test.each([
    ['an error without a message', new TypeError(''), 'TypeError'],
    ['5 MB of text', 'x'.repeat(5_000_000), 'x'.repeat(2_000)],
    ['text of every kind', 'žluť\u0000\n👋', 'žluť\u0000\n👋'],
  ])('keeps a bounded, readable reason: %s', async (_, error, kept) => {
    const job = await jobs.addAndTake();
    await jobs.driver.fail(job, error, { retry: false });
    expect((await jobs.driver.get(job.id))?.lastError).toBe(kept);
  });

  test('the reason is cleared when the job ends well', async () => {
    const job = await jobs.addAndTake();
    await jobs.driver.fail(job, 'flaky', { retryInMs: 0 });
    await jobs.driver.ack(await jobs.takeOne());
    expect(await jobs.driver.get(job.id)).toMatchObject({ status: 'done', lastError: null });
  });
});

describe('releasing', () => {
  test('does not spend the attempt', async () => {
    const job = await jobs.addAndTake();
    await jobs.driver.release(job);
    expect(await jobs.driver.get(job.id)).toMatchObject({ status: 'pending', attempts: 0 });
    expect(await jobs.takeOne()).toMatchObject({ id: job.id, attempt: 1 });
  });

  test('may postpone', async () => {
    const job = await jobs.addAndTake();
    await jobs.driver.release(job, { delayMs: 60_000 });
    expect(await jobs.driver.get(job.id)).toMatchObject({ status: 'scheduled', attempts: 0 });
    await jobs.makeDue();
    expect(await jobs.takeOne()).toMatchObject({ attempt: 1 });
  });
});

describe('a settle whose reply was lost', () => {
  test.each(Object.entries(SETTLES))('may be repeated: %s', async (_, settle) => {
    const job = await jobs.addAndTake();
    await settle(job);
    const before = await jobs.snapshot();
    await settle(job);
    await settle(job);
    expect(await jobs.snapshot()).toEqual(before);
  });

  test('counts a repeated ack once', async () => {
    const job = await jobs.addAndTake();
    await jobs.driver.ack(job);
    await jobs.driver.ack(job, 'other');
    expect(await jobs.driver.stats()).toMatchObject({ done: 1, done24h: 1 });
    expect((await jobs.driver.get(job.id))?.result).toBe(undefined);
  });
});

describe('a holder whose claim is void', () => {
  const voids: Readonly<Record<string, Verb>> = {
    'the lease ended and the job was recovered': async () => {
      await jobs.lapse();
      await jobs.upkeep();
    },
    'an operator recovered it': () => jobs.driver.recoverOrphans({ olderThanMs: 0 }),
    'someone else holds it now': async () => {
      await jobs.lapse();
      await jobs.upkeep();
      await jobs.takeOne();
    },
    'it was recovered too often': async () => {
      await jobs.lapse();
      await jobs.process({ maxRecoveries: 0 }).upkeep();
    },
    'it was cancelled': (job) => jobs.driver.cancel(job.id),
  };
  const cases = Object.entries(voids).flatMap(([why, makeVoid]) =>
    Object.entries(SETTLES).map(([what, settle]) => ({ why, what, makeVoid, settle })),
  );

  test.each(cases)('is refused: $what, since $why', async ({ makeVoid, settle }) => {
    const job = await jobs.addAndTake();
    await makeVoid(job);
    const before = await jobs.snapshot();
    await expect(settle(job)).rejects.toBeInstanceOf(LeaseLostError);
    expect(await jobs.snapshot()).toEqual(before);
  });

  test.each(Object.entries(voids))('cannot extend: %s', async (why, makeVoid) => {
    const job = await jobs.addAndTake();
    await makeVoid(job);
    const answer = why === 'it was cancelled' ? 'cancelled' : 'lost';
    expect(await jobs.driver.extend([job])).toEqual([answer]);
  });

  test.each(Object.entries(SETTLES))(
    'is refused after another ending: %s',
    async (what, settle) => {
      const job = await jobs.addAndTake();
      if (what === 'ack') await jobs.driver.fail(job, 'first', { retry: false });
      else await jobs.driver.ack(job);
      const before = await jobs.snapshot();
      await expect(settle(job)).rejects.toMatchObject({ code: 'LEASE_LOST' });
      expect(await jobs.snapshot()).toEqual(before);
    },
  );

  test.each(Object.entries(SETTLES))('of an unknown job is refused: %s', async (_, settle) => {
    const job = { ...(await jobs.addAndTake()), id: 'unknown' };
    await expect(settle(job)).rejects.toMatchObject({ code: 'LEASE_LOST' });
  });
});

describe('extending', () => {
  test('moves the end of the lease and answers per job', async () => {
    for (let n = 0; n < 4; n++) await jobs.add();
    const [held, lost, done, cancelled] = await jobs.take({ leaseMs: 1_000 });
    await jobs.driver.release(lost);
    await jobs.driver.ack(done);
    await jobs.driver.cancel(cancelled.id);
    const foreign = { id: held.id, token: '1' };
    const asked = [held, lost, done, cancelled, foreign, { id: 'unknown', token: '1' }];
    expect(await jobs.driver.extend(asked, { leaseMs: 60_000 })).toEqual(
      ['extended', 'lost', 'lost', 'cancelled', 'lost', 'lost'], // in the order asked
    );
    const end = Number(await jobs.redis.zscore(jobs.key('running'), held.id));
    expect(end).toBeGreaterThan((await jobs.now()) + 50_000);
    expect(await jobs.redis.zcard(jobs.key('running'))).toBe(1);
  });

  test('takes any number of jobs', async () => {
    await jobs.driver.enqueueMany(Array.from({ length: 1_200 }, () => ({ type: 'a', payload: 0 })));
    const held = [...(await jobs.take()), ...(await jobs.take()), ...(await jobs.take())];
    const answers = await jobs.driver.extend(held);
    expect(answers).toEqual(Array(1_200).fill('extended'));
    expect(await jobs.driver.extend([])).toEqual([]);
  });
});

describe('results', () => {
  test.each([[null], [0], [''], [{ deep: [1, { two: 2 }] }], ['žluť\u0000'], [[]]])(
    'come out as they went in: %p',
    async (result) => {
      const job = await jobs.addAndTake();
      await jobs.driver.ack(job, result);
      expect((await jobs.driver.get(job.id))?.result).toEqual(result);
    },
  );

  test.each([
    ['circular', Object.assign([] as unknown[], { 0: null })],
    ['BigInt', 1n],
    ['a function', () => 1],
    ['too large', 'x'.repeat(1_048_575)],
  ])('that cannot be stored leave the job held: %s', async (what, result) => {
    if (what === 'circular') (result as unknown[])[0] = result;
    const job = await jobs.addAndTake();
    const before = await jobs.snapshot();
    await expect(jobs.driver.ack(job, result)).rejects.toMatchObject({ code: 'INVALID_PAYLOAD' });
    expect(await jobs.snapshot()).toEqual(before);
    await jobs.driver.ack(job);
  });
});
