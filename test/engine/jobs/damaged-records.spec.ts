import type { Delivery } from '../../../lib/contract/index.js';
import { ClaimLoop } from '../../../lib/worker/index.js';
import { RecordingLogger } from '../../contract/logs.js';
import { eventually } from '../../support/eventually.js';
import { idsOf, useJobs } from './jobs-fixture.js';

const jobs = useJobs('damaged');
const DAY_MS = 86_400_000;

/** What somebody may have written in place of a record. */
const BAD_DATA: Readonly<Record<string, string | Buffer>> = {
  'not a record': 'undefined',
  'empty text': '',
  'a half record': '1 2 3',
  'headers that are not JSON': '7 1 0 0 work\n\n{"half\n{"n":1}',
  'headers that are no texts': '7 1 0 0 work\n\n[1]\n{"n":1}',
  'a body that is not JSON': '7 1 0 0 work\n\n\n{"half',
  'an empty body': '7 1 0 0 work\n\n\n',
  bytes: Buffer.from([0xff, 0x00, 0xfe, 0x0a, 0x0a, 0x0a, 0x80]),
};
const BAD_STATE: Readonly<Record<string, string | Buffer>> = {
  'not a state': 'undefined',
  'empty text': '',
  'a half state': 'r12|1|',
  'wrong kinds': 'rx|a|b|c|d|e|',
  bytes: Buffer.from([0xff, 0x00, 0xfe]),
};

const loops: ClaimLoop[] = [];
afterEach(() => Promise.all(loops.splice(0).map((loop) => loop.drain(0))));

/** A loop over `work`, as an application runs it. */
function loop(seen: string[]): ClaimLoop {
  const target = { queue: jobs.queue, slots: 3, leaseMs: 30_000, attempts: 3, types: ['work'] };
  const source = jobs.process().engine.source(target);
  const handler = ({ id }: Delivery['message']) => void seen.push(id);
  const parts = { name: 'damaged', source, handler, logger: new RecordingLogger() };
  const started = new ClaimLoop({ ...parts, options: { concurrency: 3 } });
  loops.push(started);
  started.start();
  return started;
}

const setData = (id: string, data: string | Buffer) =>
  jobs.redis.hset(jobs.key('data'), id, data as string);

/** Whatever the damage, these must answer. */
async function expectReadable(id: string): Promise<void> {
  expect(await jobs.driver.get(id)).toMatchObject({ id });
  const { jobs: listed } = await jobs.driver.list({ limit: 500 });
  expect(idsOf(listed)).toContain(id);
  await jobs.driver.list({ type: 'work' });
  await jobs.driver.stats();
  await jobs.driver.audit();
}

describe('a record that does not parse', () => {
  beforeEach(() => void (jobs.isDamaged = true));

  test.each(Object.entries(BAD_DATA))('dies once, the others run: %s', async (_, data) => {
    const bad = await jobs.add();
    const good = [];
    for (let n = 0; n < 5; n++) good.push(await jobs.add());
    await setData(bad, data);
    await expectReadable(bad);
    const seen: string[] = [];
    loop(seen);
    await eventually(() => seen.length === 5);
    await eventually(async () => (await jobs.statusOf(bad)) === 'failed');
    expect(seen.sort()).toEqual(good.sort());
    await expectReadable(bad);
    const record = await jobs.driver.get(bad);
    expect(record).toMatchObject({ unreadable: true, attempts: 1 });
    expect(record?.lastError).not.toBe('');
    const raw = await jobs.redis.hgetBuffer(jobs.key('data'), bad);
    expect(raw).toEqual(Buffer.from(data as string)); // as it was found
    expect(await jobs.driver.drop(bad)).toBe(true);
  });

  test.each(Object.entries(BAD_DATA))('that was scheduled dies once, too: %s', async (_, data) => {
    const bad = await jobs.add({ delayMs: DAY_MS });
    const good = await jobs.add();
    await setData(bad, data);
    await jobs.makeDue();
    const seen: string[] = [];
    loop(seen);
    await eventually(async () => (await jobs.statusOf(bad)) === 'failed');
    await eventually(async () => (await jobs.statusOf(good)) === 'done');
    expect(seen).toEqual([good]);
    expect(await jobs.driver.drop(bad)).toBe(true);
  });

  test.each(Object.entries(BAD_DATA))('whose holder crashed ends, too: %s', async (_, data) => {
    const held = await jobs.addAndTake();
    await setData(held.id, data);
    await jobs.lapse();
    await jobs.upkeep();
    loop([]);
    await eventually(async () => (await jobs.statusOf(held.id)) === 'failed');
  });

  test.each(Object.entries(BAD_DATA))('can be cancelled for good: %s', async (_, data) => {
    const bad = await jobs.add();
    await setData(bad, data);
    await jobs.driver.cancel(bad);
    expect(await jobs.statusOf(bad)).toBe('cancelled');
    expect(await jobs.take()).toEqual([]);
  });
});

describe('a state that does not parse', () => {
  test.each(Object.entries(BAD_STATE))('does not stop the queue: %s', async (_, state) => {
    const bad = await jobs.add();
    const good = await jobs.add();
    await jobs.redis.hset(jobs.key('state'), bad, state as string);
    await expectReadable(bad);
    const taken = await jobs.take();
    expect(idsOf(taken)).toEqual([bad, good]);
    for (const job of taken) await jobs.driver.ack(job);
    expect(await jobs.statusOf(bad)).toBe('done');
  });

  test.each(Object.entries(BAD_STATE))('of a running job loses no job: %s', async (_, state) => {
    const held = await jobs.addAndTake({ payload: 'kept' });
    await jobs.redis.hset(jobs.key('state'), held.id, state as string);
    await expect(jobs.driver.ack(held)).rejects.toMatchObject({ code: 'LEASE_LOST' });
    await jobs.lapse();
    await jobs.upkeep();
    const record = await jobs.driver.get(held.id);
    expect(record).toMatchObject({ status: 'failed', payload: 'kept' });
    expect(record?.lastError).toContain('state');
    await jobs.driver.retry(held.id);
    expect((await jobs.takeOne()).id).toBe(held.id);
  });
});

describe('an entry that does not belong', () => {
  test('a pending id without a record is dropped, the next is served in the same call', async () => {
    const score = -5 * 2 ** 41;
    for (let n = 0; n < 20; n++)
      await jobs.redis.zadd(jobs.key('pending', 'work'), score + n, `g${n}`);
    await jobs.redis.zadd(jobs.key('types'), score, 'work');
    const good = await jobs.add();
    expect((await jobs.takeOne()).id).toBe(good);
    expect(await jobs.redis.zcard(jobs.key('pending', 'work'))).toBe(0);
  });

  test('a scheduled id without a record is dropped', async () => {
    await jobs.redis.zadd(jobs.key('scheduled'), 1, `${'0'.repeat(16)}ghost`);
    const good = await jobs.add();
    expect(idsOf(await jobs.take())).toEqual([good]);
    expect(await jobs.redis.exists(jobs.key('scheduled'))).toBe(0);
  });

  test('a running id without a record is dropped', async () => {
    await jobs.redis.zadd(jobs.key('running'), 1, 'ghost');
    await jobs.upkeep();
    expect(await jobs.redis.exists(jobs.key('running'))).toBe(0);
  });

  const ended = {
    done: async () => jobs.driver.ack(await jobs.takeOne()),
    failed: async () => jobs.driver.fail(await jobs.takeOne(), 'x', { retry: false }),
    cancelled: async () => jobs.driver.cancel((await jobs.takeOne()).id),
  };
  test.each(Object.entries(ended))('a %s job never runs again', async (status, end) => {
    const id = await jobs.add();
    await end();
    await jobs.redis.zadd(jobs.key('pending', 'work'), 1, id);
    await jobs.redis.zadd(jobs.key('types'), 1, 'work');
    await jobs.redis.zadd(jobs.key('scheduled'), 1, `${'1'.padStart(16, '0')}${id}`);
    await jobs.redis.zadd(jobs.key('running'), 1, id);
    await jobs.upkeep();
    expect(await jobs.take()).toEqual([]);
    expect(await jobs.statusOf(id)).toBe(status);
  });

  test('a list goes on behind an entry without a record', async () => {
    for (let n = 0; n < 6; n++) await jobs.driver.ack(await jobs.addAndTake());
    const now = await jobs.now();
    for (let n = 0; n < 4; n++) await jobs.redis.zadd(jobs.key('done'), now + 1_000 + n, `g${n}`);
    const found: string[] = [];
    let cursor: string | null = null;
    do {
      const more: { cursor?: string } = cursor === null ? {} : { cursor };
      const page = await jobs.driver.list({ status: 'done', limit: 2, ...more });
      found.push(...idsOf(page.jobs));
      cursor = page.next;
    } while (cursor !== null);
    expect(found).toHaveLength(6);
    await jobs.driver.audit({ repair: true });
  });
});
