import type { ClaimedJob, DequeueOptions } from '../../../lib/jobs/index.js';
import { eventually } from '../../support/eventually.js';
import { commandsDuring } from '../../support/commands.js';
import { REDIS_URL } from '../../support/test-prefix.js';
import { useJobs, type OpenQueue } from './jobs-fixture.js';

const jobs = useJobs('waiting');

/** Far below the time after which a waiting claim looks by itself. */
const SOON_MS = 2_500;

interface Waiter {
  readonly claimed: Promise<ClaimedJob[]>;
  readonly tookMs: Promise<number>;
}

/** A claim that waits in a process of its own, once its blocking read has begun. */
async function waiter(options: DequeueOptions, process: OpenQueue = jobs.process()): Promise<Waiter> {
  const before = await blockedClients();
  const begun = performance.now();
  const claimed = process.driver.dequeue({ waitMs: 20_000, ...options });
  const tookMs = claimed.then(() => performance.now() - begun);
  await eventually(async () => (await blockedClients()) > before);
  return { claimed, tookMs };
}

/** Clients that wait for a bell of this test's queue. */
async function blockedClients(): Promise<number> {
  const list = (await jobs.redis.client('LIST')) as string;
  return list.split('\n').filter((line) => / flags=b /.test(line) && /nest-redis-queue/.test(line))
    .length;
}

/** What the claim brings, and how long after now. */
async function after(claimed: Promise<ClaimedJob[]>): Promise<{ ids: string[]; ms: number }> {
  const begun = performance.now();
  const ids = (await claimed).map(({ id }) => id);
  return { ids, ms: performance.now() - begun };
}

describe('a claim that waits', () => {
  test.each([
    ['for anything', {}],
    ['for one type', { types: ['work'] }],
    ['for several types', { types: ['other', 'work', '{x}'] }],
  ])('%s wakes at once for a new job', async (_, options) => {
    const { claimed } = await waiter(options);
    const id = await jobs.add();
    const woken = await after(claimed);
    expect(woken.ids).toEqual([id]);
    expect(woken.ms).toBeLessThan(300);
  });

  test('for another type sleeps on', async () => {
    const stop = new AbortController();
    const { claimed } = await waiter({ types: ['other'], signal: stop.signal });
    const commands = await commandsDuring(
      REDIS_URL,
      () => jobs.add(),
      (command) => command.some((word) => word.startsWith(jobs.key())),
    );
    expect(commands.filter(([name]) => name.startsWith('eval'))).toHaveLength(1);
    stop.abort();
    expect(await claimed).toEqual([]);
  });

  test('returns empty after its time, and 5 s by default', async () => {
    const begun = performance.now();
    const [short, byDefault] = await Promise.all([
      jobs.driver.dequeue({ waitMs: 300 }).then(() => performance.now() - begun),
      jobs.process().driver.dequeue().then(() => performance.now() - begun), // prettier-ignore
    ]);
    expect(short).toBeGreaterThanOrEqual(299);
    expect(short).toBeLessThan(2_000);
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
    const { claimed } = await waiter({ signal: stop.signal });
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
  };
  test.each(Object.entries(returns))('wakes for a job that is %s', async (_, comeBack) => {
    const job = await jobs.addAndTake();
    await jobs.redis.del(jobs.key('signal'), jobs.key('signal', 'work'));
    const { claimed } = await waiter({ types: ['work'] });
    await comeBack(job);
    const woken = await after(claimed);
    expect(woken.ids).toEqual([job.id]);
    expect(woken.ms).toBeLessThan(SOON_MS);
  });
});

describe('one ring is enough', () => {
  test('for many waiting claims when there is work for all', async () => {
    const waiters: Waiter[] = [];
    for (let n = 0; n < 5; n++) waiters.push(await waiter(n % 2 === 0 ? {} : { types: ['work'] }));
    await jobs.driver.enqueueMany(Array.from({ length: 5 }, (_, payload) => ({ type: 'work', payload })));
    const woken = await Promise.all(waiters.map(({ claimed }) => after(claimed)));
    for (const { ids, ms } of woken) {
      expect(ids).toHaveLength(1);
      expect(ms).toBeLessThan(SOON_MS);
    }
  });

  test('it is passed on to every wanted type that a claim leaves behind', async () => {
    const types = ['a', 'b', 'c'];
    await jobs.driver.enqueueMany([
      { type: 'a', payload: 1, priority: 9 },
      { type: 'a', payload: 2, priority: 8 },
      { type: 'b', payload: 3 },
      { type: 'c', payload: 4 },
      { type: 'foreign', payload: 5 },
    ]);
    const bells = types.map((type) => jobs.key('signal', type));
    // a claim of all three types may have been woken by any of the bells, and takes one job only
    for (let left = 3; left >= 1; left--) {
      await jobs.redis.del(...bells);
      await jobs.takeOne({ types });
      const rung = await Promise.all(bells.map((bell) => jobs.redis.exists(bell)));
      expect(rung).toEqual(left === 3 ? [1, 1, 1] : left === 2 ? [0, 1, 1] : [0, 0, 1]);
    }
  });

  test('an unfiltered claim passes it on, too', async () => {
    for (const type of ['a', 'b']) await jobs.add({ type });
    await jobs.redis.del(jobs.key('signal'));
    await jobs.takeOne();
    expect(await jobs.redis.exists(jobs.key('signal'))).toBe(1);
  });

  test('a claim loop that stops in that moment passes it on', async () => {
    const stop = new AbortController();
    const target = { queue: jobs.queue, slots: 1, leaseMs: 30_000, attempts: 3 };
    const source = jobs.process().engine.source(target);
    const before = await blockedClients();
    const claiming = source.claim({ limit: 1, signal: stop.signal });
    await eventually(async () => (await blockedClients()) > before);
    const other = await waiter({});
    const adding = jobs.add(); // rings the loop first, since it has waited longest
    stop.abort();
    const [early] = await claiming;
    if (early) await early.release();
    await source.close();
    const woken = await after(other.claimed);
    expect(woken.ids).toEqual([await adding]);
    expect(woken.ms).toBeLessThan(SOON_MS);
  });
});

test('a bell holds one token and expires', async () => {
  for (let n = 0; n < 100; n++) await jobs.add();
  for (const bell of [jobs.key('signal'), jobs.key('signal', 'work')]) {
    expect(await jobs.redis.llen(bell)).toBe(1);
    expect(await jobs.redis.pttl(bell)).toBeGreaterThan(0);
    expect(await jobs.redis.pttl(bell)).toBeLessThanOrEqual(60_000);
  }
});
