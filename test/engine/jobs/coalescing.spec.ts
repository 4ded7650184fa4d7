import { idsOf, useJobs } from './jobs-fixture.js';

const jobs = useJobs('coalescing');
const KEY = 'welcome:7';

const coalesced = (more: object = {}) =>
  jobs.driver.enqueue({ type: 'work', payload: 0, coalesceBy: KEY, ...more });

describe('while a job with the key waits', () => {
  test('an enqueue is absorbed: nothing is written, the answer names the job', async () => {
    const first = await coalesced();
    const before = await jobs.snapshot();
    const second = await coalesced({ payload: 1, type: 'other', id: 'own' });
    expect(second).toEqual({ id: first.id, created: false, absorbedBy: first.id });
    expect(await jobs.snapshot()).toEqual(before);
    expect(await jobs.driver.get('own')).toBe(null);
    expect((await jobs.driver.stats()).pending).toBe(1);
  });

  test('it may be scheduled, too', async () => {
    const first = await coalesced({ delayMs: 60_000 });
    expect(await coalesced()).toMatchObject({ absorbedBy: first.id });
    await jobs.makeDue();
    await jobs.upkeep();
    expect(await coalesced()).toMatchObject({ absorbedBy: first.id });
  });

  test('within one batch the first one absorbs the rest', async () => {
    const list = [1, 2, 3].map((payload) => ({ type: 'work', payload, coalesceBy: KEY }));
    const results = await jobs.driver.enqueueMany([...list, { type: 'work', payload: 4 }]);
    expect(results.map(({ created }) => created)).toEqual([true, false, false, true]);
    expect(results[2].absorbedBy).toBe(results[0].id);
  });

  test('no ring of the bell and no arrival number is spent', async () => {
    await coalesced();
    await jobs.redis.del(jobs.key('signal'), jobs.key('signal', 'work'));
    const seq = await jobs.redis.hget(jobs.key('meta'), 'seq');
    await coalesced();
    expect(await jobs.redis.exists(jobs.key('signal'), jobs.key('signal', 'work'))).toBe(0);
    expect(await jobs.redis.hget(jobs.key('meta'), 'seq')).toBe(seq);
  });

  test('of 16 enqueues in a race exactly one is created', async () => {
    const processes = Array.from({ length: 16 }, () => jobs.process());
    await Promise.all(processes.map(({ driver }) => driver.stats())); // all are connected
    for (let round = 0; round < 5; round++) {
      const job = { type: 'work', payload: round, coalesceBy: `race-${round}` };
      const results = await Promise.all(processes.map(({ driver }) => driver.enqueue(job)));
      const created = results.filter((result) => result.created);
      expect(created).toHaveLength(1);
      expect(new Set(idsOf(results))).toEqual(new Set(idsOf(created)));
    }
    expect((await jobs.driver.stats()).pending).toBe(5);
  });

  test('jobs without a key never coalesce, nor do other keys or queues', async () => {
    await coalesced();
    expect(await coalesced({ coalesceBy: 'welcome:8' })).toMatchObject({ created: true });
    expect(await coalesced({ coalesceBy: undefined })).toMatchObject({ created: true });
    const other = jobs.process({}, `${jobs.queue}-other`);
    const job = { type: 'work', payload: 0, coalesceBy: KEY };
    expect(await other.driver.enqueue(job)).toMatchObject({ created: true });
  });
});

describe('the key is free again', () => {
  const endings = {
    'once the job is claimed': () => jobs.takeOne(),
    'once the job is cancelled': async (id: string) => jobs.driver.cancel(id),
    'once the job is done': async () => jobs.driver.ack(await jobs.takeOne()),
    'once the job has failed': async () =>
      jobs.driver.fail(await jobs.takeOne(), 'x', { retry: false }),
    'once the job has failed and was dropped': async (id: string) => {
      await jobs.driver.fail(await jobs.takeOne(), 'x', { retry: false });
      await jobs.driver.drop(id);
    },
    'once the job was recovered too often': async () => {
      await jobs.takeOne();
      await jobs.lapse();
      await jobs.upkeep();
    },
  };

  test.each(Object.entries(endings))('%s', async (_, end) => {
    const first = await coalesced({ maxAttempts: 1 });
    await end(first.id);
    const second = await coalesced();
    expect(second.created).toBe(true);
    expect(await coalesced()).toMatchObject({ absorbedBy: second.id });
  });

  test('once a scheduled job is cancelled', async () => {
    const first = await coalesced({ delayMs: 60_000 });
    await jobs.driver.cancel(first.id);
    expect((await coalesced()).created).toBe(true);
  });

  test('when its holder is gone without a trace', async () => {
    await jobs.redis.hset(jobs.key('holders'), KEY, 'never-was');
    const first = await coalesced();
    expect(first.created).toBe(true);
    expect(await jobs.redis.hget(jobs.key('holders'), KEY)).toBe(first.id);
  });

  test('and no key is left without a job', async () => {
    const first = await coalesced();
    await jobs.driver.ack(await jobs.takeOne());
    const second = await coalesced({ delayMs: 60_000 });
    await jobs.driver.cancel(second.id);
    expect(first.id).not.toBe(second.id);
    expect(await jobs.redis.exists(jobs.key('holders'))).toBe(0);
  });
});

describe('an update while the job runs', () => {
  const endings = {
    'a success': async (job: { id: string; token: string }) => jobs.driver.ack(job),
    'a failure with attempts left': async (job: { id: string; token: string }) =>
      jobs.driver.fail(job, 'x', { retryInMs: 0 }),
    'a crash': async () => {
      await jobs.lapse();
      await jobs.upkeep();
    },
  };

  test.each(Object.entries(endings))('becomes one follow-up, after %s', async (_, end) => {
    await coalesced({ payload: 'v1' });
    const running = await jobs.takeOne();
    const follower = await coalesced({ payload: 'v2', id: 'follower' });
    expect(follower).toEqual({ id: 'follower', created: true });
    expect(await coalesced({ payload: 'v3' })).toMatchObject({ absorbedBy: 'follower' });
    await end(running);
    const rest = await jobs.take();
    expect(rest.filter(({ id }) => id === 'follower')).toHaveLength(1);
    expect(rest.filter(({ id }) => id !== running.id)).toHaveLength(1);
  });

  test('an older job that runs again does not free the key of a newer one', async () => {
    await coalesced();
    const older = await jobs.takeOne();
    const newer = await coalesced();
    await jobs.driver.release(older);
    expect((await jobs.takeOne()).id).toBe(older.id);
    expect(await coalesced()).toMatchObject({ absorbedBy: newer.id });
    await jobs.driver.cancel(older.id);
    expect(await coalesced()).toMatchObject({ absorbedBy: newer.id });
  });
});

describe('an id of the caller', () => {
  test('that exists is left as it is, whatever became of the job', async () => {
    const job = { type: 'work', payload: 1, id: 'mine' };
    expect(await jobs.driver.enqueue(job)).toEqual({ id: 'mine', created: true });
    const again = () => jobs.driver.enqueue({ ...job, payload: 2, type: 'other' });
    const before = await jobs.snapshot();
    expect(await again()).toEqual({ id: 'mine', created: false });
    expect(await jobs.snapshot()).toEqual(before);
    const held = await jobs.takeOne();
    expect(held.payload).toBe(1);
    expect(await again()).toEqual({ id: 'mine', created: false });
    await jobs.driver.ack(held);
    expect(await again()).toEqual({ id: 'mine', created: false });
    expect(await jobs.take()).toEqual([]);
  });

  test('given twice in one batch makes one job', async () => {
    const job = { type: 'work', payload: 1, id: 'mine' };
    const results = await jobs.driver.enqueueMany([job, { ...job, payload: 2 }]);
    expect(results.map(({ created }) => created)).toEqual([true, false]);
    expect((await jobs.takeOne()).payload).toBe(1);
  });

  test('in a race makes one job', async () => {
    const job = { type: 'work', payload: 1, id: 'mine' };
    const racing = Array.from({ length: 8 }, () => jobs.process().driver.enqueue(job));
    const created = (await Promise.all(racing)).filter((result) => result.created);
    expect(created).toHaveLength(1);
    expect((await jobs.driver.stats()).pending).toBe(1);
  });
});
