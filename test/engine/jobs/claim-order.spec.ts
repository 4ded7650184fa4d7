import { idsOf, payloadsOf, useJobs } from './jobs-fixture.js';

const jobs = useJobs('claim-order');

const PRIORITIES = [
  ['the lowest', -2_048],
  ['below the lowest', -(2 ** 53 - 1)],
  ['the default', undefined],
  ['the highest', 2_048],
  ['above the highest', 2 ** 53 - 1],
] as const;

/** Ids whose order as text is the reverse of their order of adding. */
const idsBackwards = () =>
  Array.from({ length: 12 }, (_, at) => `${jobs.queue}-${String(50 - at).padStart(2, '0')}`);

/** Adds one by one, so that the order of adding is certain. */
async function addAll(ids: readonly string[], more: object = {}): Promise<void> {
  for (const id of ids) await jobs.add({ id, ...more });
}

describe('claiming', () => {
  test('takes a job through its life', async () => {
    const id = await jobs.add({ type: 'demo', payload: { node_id: 7 } });
    expect(await jobs.driver.get(id)).toMatchObject({ status: 'pending', attempts: 0, fence: 0 });
    const [job] = await jobs.take({ types: ['demo', 'other'] });
    expect(job).toMatchObject({ id, type: 'demo', name: 'demo', attempt: 1, queue: jobs.queue });
    expect(job).toMatchObject({ payload: { node_id: 7 }, priority: 0, leaseMs: 30_000 });
    const running = await jobs.driver.get(id);
    expect(running).toMatchObject({ status: 'running', attempts: 1, fence: job.fence });
    expect(running?.startedAt).toBeGreaterThanOrEqual(running?.enqueuedAt ?? NaN);
    expect(running?.finishedAt).toBe(null);
    await jobs.driver.ack(job, { sent: 1 });
    const done = await jobs.driver.get(id);
    expect(done).toMatchObject({ status: 'done', result: { sent: 1 }, lastError: null });
    expect(done?.finishedAt).toBeGreaterThanOrEqual(running?.startedAt ?? NaN);
  });

  test('by type leaves the others pending at their place', async () => {
    const [a1, b1, a2] = [
      await jobs.add({ type: 'a' }),
      await jobs.add({ type: 'b' }),
      await jobs.add({ type: 'a' }),
    ];
    expect(idsOf(await jobs.take({ types: ['b'] }))).toEqual([b1]);
    expect(await jobs.take({ types: ['b'] })).toEqual([]);
    const b2 = await jobs.add({ type: 'b' });
    expect(idsOf(await jobs.take())).toEqual([a1, a2, b2]);
  });

  test('a high priority comes first, the others in order of arrival', async () => {
    const low = [];
    for (let n = 0; n < 40; n++) low.push(await jobs.add({ priority: -1, type: `t${n % 3}` }));
    const high = await jobs.add({ priority: 0, type: 't9' });
    expect(idsOf(await jobs.take())).toEqual([high, ...low]);
  });

  test('mixes the types by priority and arrival, also over several claims', async () => {
    const expected: { id: string; priority: number; at: number }[] = [];
    for (let at = 0; at < 60; at++) {
      const priority = (at * 7) % 5;
      expected.push({ id: await jobs.add({ type: `t${at % 4}`, priority }), priority, at });
    }
    expected.sort((one, other) => other.priority - one.priority || one.at - other.at);
    const taken: string[] = [];
    for (let limit = 1; taken.length < 60; limit += 3)
      taken.push(...idsOf(await jobs.take({ limit })));
    expect(taken).toEqual(idsOf(expected));
  });

  test('several wanted types are served as one queue', async () => {
    const ids: string[] = [];
    for (let at = 0; at < 12; at++) ids.push(await jobs.add({ type: `t${at % 3}` }));
    const wanted = ids.filter((_, at) => at % 3 !== 1);
    expect(idsOf(await jobs.take({ types: ['t2', 'nothing', 't0'] }))).toEqual(wanted);
  });

  test('takes no more than its limit, 1 by default', async () => {
    for (let n = 0; n < 5; n++) await jobs.add();
    expect(await jobs.driver.dequeue({ waitMs: 0 })).toHaveLength(1);
    expect(await jobs.take({ limit: 3 })).toHaveLength(3);
    expect(await jobs.take({ limit: 3 })).toHaveLength(1);
    expect(await jobs.take({ limit: 3 })).toHaveLength(0);
  });
});

describe('equal priorities keep the order of adding', () => {
  test.each(PRIORITIES)('at %s', async (_, priority) => {
    const ids = idsBackwards();
    await addAll(ids, priority === undefined ? {} : { priority });
    expect(idsOf(await jobs.take())).toEqual(ids);
    expect((await jobs.driver.get(ids[0]))?.priority).toBe(priority ?? 0);
  });

  test.each([2 ** 32 - 6, 2 ** 40])('with the counter at %d', async (seq) => {
    await jobs.redis.hset(jobs.key('meta'), 'seq', seq);
    const groups: string[][] = [];
    for (const priority of [-2_048, 0, 2_048]) {
      const ids = idsBackwards().map((id) => `${id}-${priority}`);
      await addAll(ids, { priority });
      groups.unshift(ids);
    }
    expect(idsOf(await jobs.take())).toEqual(groups.flat());
  });

  test('a clamped priority stands with the highest, first in, first out', async () => {
    const ids = [
      await jobs.add({ priority: 2_048 }),
      await jobs.add({ priority: 999_999 }),
      await jobs.add({ priority: 2_048 }),
    ];
    await jobs.add({ priority: 2_047 });
    expect(idsOf(await jobs.take({ limit: 3 }))).toEqual(ids);
  });

  test('enqueueMany keeps the order of its list', async () => {
    const list = Array.from({ length: 1_200 }, (_, n) => ({ type: `t${n % 2}`, payload: n }));
    const results = await jobs.driver.enqueueMany(list);
    expect(results.every(({ created }) => created)).toBe(true);
    const taken = [...(await jobs.take()), ...(await jobs.take()), ...(await jobs.take())];
    expect(payloadsOf(taken)).toEqual([...Array(1_200).keys()]);
    expect(idsOf(taken)).toEqual(idsOf(results));
  });
});

describe('a job comes back to its own place', () => {
  const bringBack = {
    released: async () => jobs.driver.release(await jobs.takeOne()),
    retried: async () => jobs.driver.fail(await jobs.takeOne(), 'x', { retryInMs: 0 }),
    'failed and retried by hand': async () => {
      const job = await jobs.takeOne();
      await jobs.driver.fail(job, 'x', { retry: false });
      await jobs.driver.retry(job.id);
    },
    recovered: async () => {
      await jobs.takeOne();
      await jobs.lapse();
      await jobs.driver.recoverOrphans();
    },
    'recovered by hand': async () => {
      await jobs.takeOne();
      await jobs.driver.recoverOrphans({ olderThanMs: 0 });
    },
    promoted: async () => {
      await jobs.driver.fail(await jobs.takeOne(), 'x', { retryInMs: 60_000 });
      await jobs.makeDue();
    },
  };

  test.each(Object.entries(bringBack))('when it is %s', async (_, back) => {
    const first = await jobs.add({ priority: 5 });
    const second = await jobs.add({ priority: 5, type: 'other' });
    await jobs.add({ priority: 4 });
    await back();
    const third = await jobs.add({ priority: 5 });
    expect(idsOf(await jobs.take({ limit: 3 }))).toEqual([first, second, third]);
  });
});

test('jobs due in the same millisecond run in order of adding', async () => {
  const notBefore = (await jobs.now()) + 3_600_000;
  const ids = idsBackwards();
  await addAll(ids, { notBefore });
  expect(idsOf((await jobs.driver.list({ status: 'scheduled' })).jobs)).toEqual(ids);
  await jobs.makeDue();
  expect(idsOf(await jobs.take())).toEqual(ids);
});
