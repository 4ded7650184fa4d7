import type { ClaimedJob, DequeueOptions } from '../../../lib/jobs/index.js';
import { useJobs } from './jobs-fixture.js';

const jobs = useJobs('waiting');

/** Far below the time after which a waiting claim looks by itself. */
const SOON_MS = 2_500;

/** A claim in a process of its own that has looked and waits. */
async function waiting(options: DequeueOptions = {}): Promise<{ claimed: Promise<ClaimedJob[]> }> {
  const { driver, untilWaiting } = jobs.process();
  const claimed = driver.dequeue({ waitMs: 20_000, ...options });
  await untilWaiting();
  return { claimed };
}

/** What the claim brings, and how long after now. */
async function after(claimed: Promise<ClaimedJob[]>): Promise<{ ids: string[]; ms: number }> {
  const begun = performance.now();
  const ids = (await claimed).map(({ id }) => id);
  return { ids, ms: performance.now() - begun };
}

/** Takes the tokens out of the bells, as claims would that were woken by them. */
function silence(...types: string[]): Promise<number> {
  const bells = types.map((type) => jobs.key('signal', type));
  return jobs.redis.del(jobs.key('signal'), ...bells);
}

describe('a claim that waits', () => {
  test.each([
    ['for anything', {}],
    ['for one type', { types: ['work'] }],
    ['for several types', { types: ['other', 'work', '{x}'] }],
  ])('%s wakes at once for a new job', async (_, options) => {
    const times: number[] = [];
    for (let round = 0; round < 3; round++) {
      const { claimed } = await waiting(options);
      const id = await jobs.add();
      const woken = await after(claimed);
      expect(woken.ids).toEqual([id]);
      times.push(woken.ms);
    }
    expect(Math.max(...times)).toBeLessThan(SOON_MS);
    expect(Math.min(...times)).toBeLessThan(300); // the best of three, on a busy machine
  });

  test('returns empty after its time, and 5 s by default', async () => {
    const begun = performance.now();
    const endOf = async (claimed: Promise<ClaimedJob[]>) => {
      expect(await claimed).toEqual([]);
      return performance.now() - begun;
    };
    const [short, byDefault] = await Promise.all([
      endOf(jobs.driver.dequeue({ waitMs: 300 })),
      endOf(jobs.process().driver.dequeue()),
    ]);
    expect(short).toBeGreaterThanOrEqual(299);
    expect(short).toBeLessThan(SOON_MS);
    expect(byDefault).toBeGreaterThanOrEqual(4_990);
    expect(byDefault).toBeLessThan(8_000);
  });

  test('does not wait with waitMs 0, nor when its signal has aborted', async () => {
    const begun = performance.now();
    expect(await jobs.driver.dequeue({ waitMs: 0 })).toEqual([]);
    await jobs.add();
    expect(await jobs.driver.dequeue({ signal: AbortSignal.abort() })).toEqual([]);
    expect(performance.now() - begun).toBeLessThan(SOON_MS);
    expect((await jobs.driver.stats()).pending).toBe(1);
  });

  test('is empty once its signal aborts, and leaves later jobs alone', async () => {
    const stop = new AbortController();
    const { claimed } = await waiting({ signal: stop.signal });
    stop.abort();
    const woken = await after(claimed);
    expect(woken.ids).toEqual([]);
    expect(woken.ms).toBeLessThan(SOON_MS);
    await jobs.add();
    expect((await jobs.driver.stats()).pending).toBe(1);
  });

  const returns = {
    released: (job: ClaimedJob) => jobs.driver.release(job),
    'failed with a retry at once': (job: ClaimedJob) =>
      jobs.driver.fail(job, 'x', { retryInMs: 0 }),
    'retried by hand': async (job: ClaimedJob) => {
      await jobs.driver.fail(job, 'x', { retry: false });
      await jobs.driver.retry(job.id);
    },
    recovered: async () => {
      await jobs.lapse();
      await jobs.upkeep();
    },
    promoted: async (job: ClaimedJob) => {
      await jobs.driver.release(job, { delayMs: 3_600_000 });
      await jobs.makeDue();
      await jobs.upkeep();
    },
    'there when the queue resumes': async (job: ClaimedJob) => {
      await jobs.driver.pause();
      await jobs.driver.release(job);
      await silence('work');
      await jobs.driver.resume();
    },
  };
  test.each(Object.entries(returns))('wakes for a job that is %s', async (_, comeBack) => {
    const job = await jobs.addAndTake();
    await silence('work');
    const { claimed } = await waiting({ types: ['work'] });
    await comeBack(job);
    const woken = await after(claimed);
    expect(woken.ids).toEqual([job.id]);
    expect(woken.ms).toBeLessThan(SOON_MS);
  });
});

describe('one token is enough', () => {
  test('for many waiting claims when there is work for all', async () => {
    const waiters: { claimed: Promise<ClaimedJob[]> }[] = [];
    for (let n = 0; n < 5; n++) waiters.push(await waiting(n % 2 === 0 ? {} : { types: ['work'] }));
    const list = Array.from({ length: 5 }, (_, payload) => ({ type: 'work', payload }));
    await jobs.driver.enqueueMany(list);
    const woken = await Promise.all(waiters.map(({ claimed }) => after(claimed)));
    for (const { ids, ms } of woken) {
      expect(ids).toHaveLength(1);
      expect(ms).toBeLessThan(SOON_MS);
    }
  });

  test('a claim passes it on to every wanted type that it leaves behind', async () => {
    const types = ['a', 'b', 'c'];
    await jobs.driver.enqueueMany([
      { type: 'a', payload: 1, priority: 9 },
      { type: 'a', payload: 2, priority: 8 },
      { type: 'b', payload: 3 },
      { type: 'c', payload: 4 },
      { type: 'foreign', payload: 5 },
    ]);
    const bells = types.map((type) => jobs.key('signal', type));
    // it may have been woken by any of the three bells, and takes one job only
    for (const left of [
      [1, 1, 1],
      [0, 1, 1],
      [0, 0, 1],
      [0, 0, 0],
    ]) // prettier-ignore
    {
      await silence(...types);
      await jobs.takeOne({ types });
      expect(await Promise.all(bells.map((bell) => jobs.redis.exists(bell)))).toEqual(left);
    }
  });

  test('a claim that was woken for another type does not strand a second one', async () => {
    await jobs.driver.enqueueMany([
      { type: 'a', payload: 1, priority: 9 },
      { type: 'a', payload: 2, priority: 9 },
    ]);
    const { claimed } = await waiting({ types: ['b'] });
    await jobs.driver.pause();
    const b = await jobs.add({ type: 'b' }); // wakes it, and it gets nothing
    await silence('a', 'b');
    const again = await waiting({ types: ['b'] });
    await jobs.redis.hdel(jobs.key('meta'), 'paused'); // a resume that nobody hears
    expect((await jobs.takeOne({ types: ['a', 'b'] })).type).toBe('a');
    const woken = await after(Promise.race([claimed, again.claimed]));
    expect(woken.ids).toEqual([b]);
    expect(woken.ms).toBeLessThan(SOON_MS);
    await jobs.driver.enqueue({ type: 'b', payload: 3 });
    await Promise.all([claimed, again.claimed]);
  });

  test('an unfiltered claim passes it on, too', async () => {
    for (const type of ['a', 'b']) await jobs.add({ type });
    await silence('a', 'b');
    await jobs.takeOne();
    expect(await jobs.redis.exists(jobs.key('signal'))).toBe(1);
  });

  test('a claim loop that stops in that moment passes it on', async () => {
    const stop = new AbortController();
    const { engine, untilWaiting } = jobs.process();
    const source = engine.source({ queue: jobs.queue, slots: 1, leaseMs: 30_000, attempts: 3 });
    const claiming = source.claim({ limit: 1, signal: stop.signal });
    await untilWaiting();
    const other = await waiting();
    const adding = jobs.add(); // rings the loop first, since it has waited longest
    stop.abort();
    const [early] = await claiming;
    if (early) await early.release();
    await source.close();
    const woken = await after(other.claimed);
    expect(woken.ids).toEqual([await adding]);
    expect(woken.ms).toBeLessThan(SOON_MS);
  });

  test('a bell holds one token, and expires', async () => {
    for (let n = 0; n < 100; n++) await jobs.add();
    for (const bell of [jobs.key('signal'), jobs.key('signal', 'work')]) {
      expect(await jobs.redis.llen(bell)).toBe(1);
      expect(await jobs.redis.pttl(bell)).toBeGreaterThan(0);
      expect(await jobs.redis.pttl(bell)).toBeLessThanOrEqual(60_000);
    }
  });
});
