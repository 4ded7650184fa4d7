import { useJobs } from './jobs-fixture.js';

const jobs = useJobs('pause');

describe('a paused queue', () => {
  test('takes jobs in, gives none out, in every process', async () => {
    const held = await jobs.addAndTake();
    await jobs.driver.pause();
    await jobs.driver.pause();
    await jobs.add();
    await jobs.add({ delayMs: 1 });
    expect(await jobs.driver.stats()).toMatchObject({ paused: true, pending: 1, scheduled: 1 });
    expect(await jobs.take()).toEqual([]);
    expect(await jobs.process().driver.dequeue({ waitMs: 50, types: ['work'] })).toEqual([]);
    await jobs.driver.ack(held, 'what runs goes on');
    expect(await jobs.statusOf(held.id)).toBe('done');
    await jobs.driver.resume();
    await jobs.driver.resume();
    expect(await jobs.take()).toHaveLength(2);
    expect((await jobs.driver.stats()).paused).toBe(false);
  });

  test('still has its upkeep: due jobs wait, lapsed ones come back', async () => {
    const held = await jobs.addAndTake();
    await jobs.driver.pause();
    await jobs.add({ delayMs: 3_600_000 });
    await jobs.makeDue();
    await jobs.lapse();
    await jobs.upkeep();
    expect(await jobs.driver.stats()).toMatchObject({ pending: 2, running: 0, scheduled: 0 });
    expect(await jobs.take()).toEqual([]);
    await jobs.driver.resume();
    expect((await jobs.takeOne()).id).toBe(held.id);
  });

  test('wakes every waiting claim when it resumes', async () => {
    await jobs.driver.pause();
    const types = ['a', 'b', 'c'];
    const waiters = [];
    for (const type of [...types, undefined]) {
      const { driver, untilWaiting } = jobs.process();
      const wanted = type === undefined ? {} : { types: [type] };
      waiters.push(driver.dequeue({ waitMs: 20_000, ...wanted }));
      await untilWaiting();
    }
    for (const type of types) await jobs.add({ type });
    await jobs.add({ type: 'd', priority: 1 }); // for the claim that takes any
    const begun = performance.now();
    await jobs.driver.resume();
    const claimed = (await Promise.all(waiters)).flat();
    expect(claimed.map(({ type }) => type).sort()).toEqual(['a', 'b', 'c', 'd']);
    expect(performance.now() - begun).toBeLessThan(2_500);
  });

  test('does not pause other queues', async () => {
    await jobs.driver.pause();
    const other = jobs.process({}, `${jobs.queue}-other`);
    await other.driver.enqueue({ type: 'a', payload: 1 });
    expect(await other.driver.dequeue({ waitMs: 0 })).toHaveLength(1);
  });
});

describe('the event stream', () => {
  const events = async (): Promise<string[]> => {
    const entries = await jobs.redis.xrange(jobs.key('events'), '-', '+');
    return entries.map(([, fields]) => `${fields[1]} ${fields[3]}`);
  };

  /** A life with everything in it; answers the job's id. */
  async function live(): Promise<string> {
    const id = await jobs.add();
    await jobs.driver.fail(await jobs.takeOne(), 'x', { retryInMs: 0 });
    await jobs.takeOne();
    await jobs.lapse();
    await jobs.upkeep();
    await jobs.driver.fail(await jobs.takeOne(), 'x', { retry: false });
    await jobs.driver.retry(id);
    await jobs.driver.ack(await jobs.takeOne());
    return id;
  }

  test('is not written unless it is switched on', async () => {
    await live();
    expect(await jobs.redis.exists(jobs.key('events'))).toBe(0);
  });

  test('tells every change, for every process, once it is switched on', async () => {
    await jobs.process().driver.recordEvents(true);
    const id = await live();
    const wanted = ['waiting', 'active', 'retry', 'active', 'recovered', 'active', 'failed'];
    const seen = (await events()).filter((event) => event.endsWith(id));
    expect(seen.slice(0, 7)).toEqual(wanted.map((event) => `${event} ${id}`));
    expect(seen.slice(-2)).toEqual([`active ${id}`, `done ${id}`]);
    const cancelled = await jobs.add();
    await jobs.driver.cancel(cancelled);
    expect((await events()).slice(-2)).toEqual([`waiting ${cancelled}`, `cancelled ${cancelled}`]);
  });

  test('is silent again once it is switched off', async () => {
    await jobs.driver.recordEvents(true);
    await live();
    const before = await events();
    await jobs.driver.recordEvents(false);
    await live();
    expect(await events()).toEqual(before);
  });

  test('is capped', async () => {
    await jobs.driver.recordEvents(true);
    const list = Array.from({ length: 5_000 }, (_, n) => ({ type: 'a', payload: n }));
    for (let round = 0; round < 3; round++) await jobs.driver.enqueueMany(list);
    const length = await jobs.redis.xlen(jobs.key('events'));
    expect(length).toBeGreaterThanOrEqual(10_000);
    expect(length).toBeLessThan(10_500);
    jobs.isDamaged = true; // sound, but the walk is long
  });
});
