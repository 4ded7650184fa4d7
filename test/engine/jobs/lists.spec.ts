import type { JobRecord, JobStatus, ListOptions } from '../../../lib/jobs/index.js';
import { JOB_STATUSES } from '../../../lib/jobs/index.js';
import { idsOf, payloadsOf, useJobs } from './jobs-fixture.js';

const jobs = useJobs('lists');

test('pages of 5 jobs: 2, 2, 1 of 5', async () => {
  for (let n = 0; n < 5; n++) await jobs.add({ payload: n });
  for (const [offset, count] of [
    [0, 2],
    [2, 2],
    [4, 1],
    [5, 0],
    [9_999, 0],
  ]) // prettier-ignore
  {
    const page = await jobs.driver.list({ limit: 2, offset });
    expect([page.jobs.length, page.total]).toEqual([count, 5]);
    expect(page.jobs.map(({ payload }) => payload)).toEqual(
      [offset, offset + 1].slice(0, count),
    );
  }
});

interface Wanted {
  readonly type: string;
  readonly priority: number;
  readonly n: number;
}

test('an empty queue has an empty list', async () => {
  expect(await jobs.driver.list()).toEqual({ jobs: [], total: 0, next: null });
  for (const status of JOB_STATUSES)
    expect(await jobs.driver.list({ status, type: 'a' })).toEqual({
      jobs: [],
      total: 0,
      next: null,
    });
});

describe('a queue with jobs in every state', () => {
  /** What the list shall be: by status in the order of JOB_STATUSES. */
  let model: Map<JobStatus, { id: string; type: string }[]>;

  beforeEach(async () => {
    model = new Map(JOB_STATUSES.map((status) => [status, []]));
    for (let n = 0; n < 84; n++) {
      const type = `t${n % 3}`;
      const status = JOB_STATUSES[n % 6];
      const id = await bring(status, { type, priority: (n * 5) % 7, n });
      model.get(status)?.push({ id, type });
    }
    await sortModel();
  });

  /** Adds one job and brings it into a state, without disturbing those that wait. */
  async function bring(status: JobStatus, { type, priority, n }: Wanted): Promise<string> {
    if (status === 'scheduled')
      return jobs.add({ type, priority, delayMs: 60_000 + (n % 4) * 500 });
    if (status === 'pending') return jobs.add({ type, priority });
    const alone = `${type}-alone`;
    const id = await jobs.add({ type: alone, priority });
    if (status === 'cancelled') return (await jobs.driver.cancel(id), id);
    const job = await jobs.takeOne({ types: [alone], leaseMs: 30_000 + ((n * 7) % 11) * 1_000 });
    if (status === 'done') await jobs.driver.ack(job, n);
    if (status === 'failed') await jobs.driver.fail(job, 'x', { retry: false });
    return id;
  }

  /** The order of each status, by what the records say. */
  async function sortModel(): Promise<void> {
    for (const [status, entries] of model) {
      const records = await Promise.all(entries.map(({ id }) => jobs.driver.get(id)));
      const found = (records as JobRecord[]).map((record, at) => ({ record, at }));
      if (status === 'pending')
        found.sort((a, b) => b.record.priority - a.record.priority || a.at - b.at);
      if (status === 'scheduled')
        found.sort((a, b) => (a.record.notBefore ?? 0) - (b.record.notBefore ?? 0) || a.at - b.at);
      model.set(
        status,
        found.map(({ record }) => ({ id: record.id, type: record.type })),
      );
    }
  }

  /** Pending and scheduled have an exact order; of the others, those of one millisecond tie. */
  async function expectPage(page: readonly JobRecord[], status: JobStatus): Promise<void> {
    expect(page.every((record) => record.status === status)).toBe(true);
    if (status === 'pending' || status === 'scheduled') return;
    const key = jobs.key(status);
    const scores = await Promise.all(page.map(({ id }) => jobs.redis.zscore(key, id)));
    expect(scores).toEqual([...scores].sort((a, b) => Number(b) - Number(a)));
  }

  const expected = ({ status, type }: ListOptions): string[] =>
    (status ? [status] : JOB_STATUSES).flatMap((one) =>
      idsOf((model.get(one) ?? []).filter((job) => type === undefined || job.type === type)),
    );

  test.each(JOB_STATUSES.map((status) => ({ status })))('lists $status in order', async (query) => {
    const { jobs: all, total } = await jobs.driver.list({ ...query, limit: 500 });
    expect([idsOf(all).sort(), total]).toEqual([expected(query).sort(), 14]);
    await expectPage(all, query.status);
    if (query.status === 'pending' || query.status === 'scheduled')
      expect(idsOf(all)).toEqual(expected(query));
    for (const [offset, limit] of [
      [0, 1],
      [3, 5],
      [13, 5],
      [14, 5],
    ]) // prettier-ignore
    {
      const page = await jobs.driver.list({ ...query, offset, limit });
      expect(idsOf(page.jobs)).toEqual(idsOf(all).slice(offset, offset + limit));
      expect(page.total).toBe(14);
    }
  });

  test('lists all states, in their order, over the borders of pages', async () => {
    const whole = await jobs.driver.list({ limit: 500 });
    expect(whole.jobs.map(({ status }) => status)).toEqual(
      JOB_STATUSES.flatMap((status) => Array<JobStatus>(14).fill(status)),
    );
    expect([whole.total, whole.next]).toEqual([84, null]);
    for (const limit of [1, 9, 14, 28, 84]) {
      const paged: string[] = [];
      for (let offset = 0; offset < 84; offset += limit)
        paged.push(...idsOf((await jobs.driver.list({ limit, offset })).jobs));
      expect(paged).toEqual(idsOf(whole.jobs));
    }
  });

  test.each([1, 5, 14, 30, 84, 100])('a cursor walks all, %d a page', async (limit) => {
    const whole = idsOf((await jobs.driver.list({ limit: 500 })).jobs);
    const walked: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await jobs.driver.list(cursor === undefined ? { limit } : { limit, cursor });
      walked.push(...idsOf(page.jobs));
      expect(page.total).toBe(84);
      cursor = page.next ?? undefined;
    } while (cursor !== undefined);
    expect(walked).toEqual(whole);
  });

  test.each(JOB_STATUSES.map((status) => ({ status })))(
    'a cursor walks $status although jobs leave meanwhile',
    async ({ status }) => {
      const all = idsOf((await jobs.driver.list({ status, limit: 500 })).jobs);
      const first = await jobs.driver.list({ status, limit: 5 });
      await leave(status, all[2], all[4]); // passed already; the last one is where the cursor stands
      const rest = await jobs.driver.list({ status, limit: 500, cursor: first.next ?? '' });
      const walked = new Set([...idsOf(first.jobs), ...idsOf(rest.jobs)]);
      expect(all.filter((id) => !walked.has(id))).toEqual([]);
    },
  );

  async function leave(status: JobStatus, ...ids: string[]): Promise<void> {
    if (['pending', 'scheduled', 'running'].includes(status))
      for (const id of ids) await jobs.driver.cancel(id);
    else if (status === 'failed') for (const id of ids) await jobs.driver.drop(id);
    else {
      await jobs.redis.zrem(jobs.key(status), ...ids);
      for (const table of ['data', 'state', 'result'])
        await jobs.redis.hdel(jobs.key(table), ...ids);
    }
  }

  test('filters by type in every state', async () => {
    for (const status of [undefined, ...JOB_STATUSES])
      for (const type of ['t0', 't1-alone', 'none']) {
        const query = { ...(status && { status }), type, limit: 3 };
        const wanted = expected(query);
        const pages: string[] = [];
        for (let offset = 0; offset === 0 || offset < wanted.length; offset += 3) {
          const page = await jobs.driver.list({ ...query, offset });
          expect(page.total).toBe(wanted.length);
          pages.push(...idsOf(page.jobs));
        }
        expect(pages.sort()).toEqual(wanted.sort());
      }
  });

  test('stats agree', async () => {
    expect(await jobs.driver.stats()).toMatchObject({
      ...Object.fromEntries(JOB_STATUSES.map((status) => [status, 14])),
      done24h: 14,
      paused: false,
    });
  });
});

test('the middle of 20,000 jobs of 5 types is found without walking there', async () => {
  const list = Array.from({ length: 20_000 }, (_, n) => ({
    type: `t${n % 5}`,
    payload: n,
    priority: n % 2,
  }));
  await jobs.driver.enqueueMany(list);
  const order = [...list.filter(({ priority }) => priority === 1), ...list.filter(({ priority }) => priority === 0)]; // prettier-ignore
  for (const offset of [0, 4_999, 9_990, 10_000]) {
    const page = await jobs.driver.list({ status: 'pending', offset, limit: 20 });
    expect(page.jobs.map(({ payload }) => payload)).toEqual(
      order.slice(offset, offset + 20).map(({ payload }) => payload),
    );
    expect(page.total).toBe(20_000);
  }
  let { next } = await jobs.driver.list({ status: 'pending', offset: 10_000, limit: 500 });
  const walked: unknown[] = [];
  while (next !== null) {
    const page = await jobs.driver.list({ limit: 500, cursor: next });
    walked.push(...payloadsOf(page.jobs));
    ({ next } = page);
  }
  expect(walked).toEqual(payloadsOf(order.slice(10_500)));
  jobs.isDamaged = true; // sound, but a walk over all of it takes a second
});

describe('oldestWaitingMs', () => {
  test('is the age of the job that has waited longest, over types and priorities', async () => {
    expect((await jobs.driver.stats()).oldestWaitingMs).toBe(0);
    await jobs.add({ type: 'a', priority: -5 });
    await new Promise((resolve) => setTimeout(resolve, 120));
    await jobs.add({ type: 'b', priority: 5 });
    await jobs.add({ type: 'a', priority: 9 });
    await jobs.add({ delayMs: 60_000 });
    expect((await jobs.driver.stats()).oldestWaitingMs).toBeGreaterThanOrEqual(119);
    await jobs.take({ types: ['a'] });
    expect((await jobs.driver.stats()).oldestWaitingMs).toBeLessThan(119);
  });

  test('begins anew for a job that comes back', async () => {
    const job = await jobs.addAndTake();
    await new Promise((resolve) => setTimeout(resolve, 120));
    await jobs.driver.release(job);
    expect((await jobs.driver.stats()).oldestWaitingMs).toBeLessThan(119);
  });
});
