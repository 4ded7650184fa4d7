import { createJobsEngine, type ClaimedJob, type JobDriver } from '../../lib/jobs/index.js';
import { newId } from '../../lib/delivery/index.js';
import { KeySpace, RedisConnection } from '../../lib/redis/index.js';
import { pause } from '../contract/waiting.js';
import { Worker } from '../fault/jobs/worker.js';
import { eventually } from '../support/eventually.js';
import { startCluster, type TestCluster } from '../support/redis-server.js';

// names whose slots lie on different masters, and some with a word of caution in them
const QUEUES = ['emails', 'orders', 'a:b', 'tag{1}', 'x', 'ünï'] as const;
const PREFIX = 'test-cluster-jobs';

let cluster: TestCluster;
let connection: RedisConnection;

beforeAll(async () => {
  cluster = await startCluster();
  connection = new RedisConnection({ connection: { cluster: { nodes: cluster.nodes } } });
}, 60_000);

afterAll(async () => {
  await connection.close();
  await cluster.stop();
});

/** The engine with small retentions, so that everything is trimmed. */
function open(queue: string) {
  const options = { keepDone: { count: 2 }, keepFailed: { count: 2 }, keepCancelled: { count: 2 } };
  const prefix = `${PREFIX}-${newId()}`; // every test has the queue to itself
  const { engine, driver } = createJobsEngine({ connection, prefix, options });
  const [upkeep] = engine.upkeep({ queue, slots: 1, leaseMs: 1_000, attempts: 3 });
  const space = new KeySpace(prefix, 'jobs', queue);
  return { engine, driver: driver.queue(queue), upkeep, space };
}

async function take(driver: JobDriver, types?: string[]): Promise<ClaimedJob> {
  const [job] = await driver.dequeue({ waitMs: 0, ...(types && { types }) });
  return job;
}

const add = (driver: JobDriver, more: object = {}) =>
  driver.enqueue({ type: 'work', payload: { n: 1 }, ...more });

async function addDead(driver: JobDriver): Promise<void> {
  await add(driver);
  await driver.fail(await take(driver), 'no', { retry: false });
}

describe.each(QUEUES)('on a cluster, the queue %s', (queue) => {
  test('is added to, claimed from and settled', async () => {
    const { driver } = open(queue);
    await driver.recordEvents(true);
    const first = await add(driver, {
      id: 'own',
      coalesceBy: 'key',
      priority: 2,
      headers: { a: 'b' },
    });
    expect(await add(driver, { coalesceBy: 'key' })).toMatchObject({ absorbedBy: first.id });
    await driver.enqueueMany(
      Array.from({ length: 600 }, (_, n) => ({ type: `t${n % 3}`, payload: n })),
    );
    const own = await take(driver, ['work']);
    expect(await driver.extend([own])).toEqual(['extended']);
    await driver.fail(own, 'not yet', { retryInMs: 0 });
    await driver.release(await take(driver, ['work']));
    await driver.fail(await take(driver, ['work']), 'never', { retry: false });
    await driver.retry('own');
    await driver.ack(await take(driver, ['work']), { result: 1 });
    expect(await driver.get('own')).toMatchObject({ status: 'done', result: { result: 1 } });
    for (
      let jobs: ClaimedJob[];
      (jobs = await driver.dequeue({ limit: 500, waitMs: 0 })).length > 0;
    ) {
      for (const job of jobs.slice(0, 5)) await driver.ack(job);
      await Promise.all(jobs.slice(5).map((job) => driver.ack(job)));
    }
    expect(await driver.stats()).toMatchObject({ pending: 0, running: 0, done24h: 601 });
  });

  test('is promoted, recovered, trimmed, paused and cancelled in', async () => {
    const { driver, upkeep } = open(queue);
    await add(driver, { type: 'late', delayMs: 20 });
    await eventually(async () => (await upkeep.run(), (await driver.stats()).scheduled === 0));
    await driver.pause();
    expect(await driver.dequeue({ waitMs: 0 })).toEqual([]);
    await driver.resume();
    const [late] = await driver.dequeue({ waitMs: 5_000, types: ['late'], leaseMs: 1 });
    await pause(5);
    expect(await driver.recoverOrphans()).toBe(1);
    const again = await take(driver);
    expect(again).toMatchObject({ id: late.id, attempt: 2 });
    expect(await driver.recoverOrphans({ olderThanMs: 0 })).toBe(1);
    await expect(driver.ack(again)).rejects.toMatchObject({ code: 'LEASE_LOST' });
    const held = await take(driver);
    await driver.cancel(held.id);
    expect(await driver.extend([held])).toEqual(['cancelled']);
    for (let n = 0; n < 3; n++) await driver.cancel((await add(driver, { delayMs: 9_000 })).id);
    for (let n = 0; n < 4; n++) {
      await addDead(driver);
      await add(driver);
      await driver.ack(await take(driver));
    }
    await upkeep.run();
    expect(await driver.stats()).toMatchObject({ cancelled: 2, failed: 2, done: 2 });
  });

  test('is listed, audited, mended and redriven', async () => {
    const { driver, engine, space } = open(queue);
    const jobs = Array.from({ length: 25 }, (_, n) => ({ type: `t${n % 3}`, payload: n }));
    await addDead(driver);
    await addDead(driver);
    await driver.recordEvents(true);
    await driver.enqueueMany(jobs);
    const whole = await driver.list({ status: 'pending', limit: 10 });
    expect(whole.total).toBe(25);
    const next = await driver.list({ status: 'pending', limit: 500, cursor: whole.next! });
    expect(next.jobs).toHaveLength(15);
    expect((await driver.list({ type: 't1', limit: 3, offset: 2 })).jobs).toHaveLength(3);
    for (const status of ['running', 'scheduled', 'done', 'cancelled'] as const)
      await driver.list({ status });
    const [dead] = await engine.deadLetters(queue).list();
    expect(await engine.deadLetters(queue).redrive(dead.id)).toBe(true);
    const [other] = await engine.deadLetters(queue).list();
    expect(await driver.drop(other.id)).toBe(true);
    await connection.command('ZADD', [space.key('running'), '1', 'ghost']);
    await connection.command('ZREM', [space.key('pending', 't0'), whole.jobs[0].id]);
    await connection.command('HSET', [space.key('holders'), 'stale', 'ghost']);
    expect((await driver.audit({ repair: true })).length).toBeGreaterThanOrEqual(3);
    expect(await driver.audit()).toEqual([]);
    expect(await driver.stats()).toMatchObject({ pending: 26, running: 0 });
    expect(await engine.health(queue)).toMatchObject({ connected: true, waiting: 26 });
    expect(await connection.command('XLEN', [space.key('events')])).toBeGreaterThanOrEqual(25);
  });
});

describe('on a cluster, several loops of one process', () => {
  test('work on queues of different masters at once, and each hears its own bell', async () => {
    const prefix = `${PREFIX}-${newId()}`;
    const workers = QUEUES.map((queue) => {
      const setup = { connection: { cluster: { nodes: cluster.nodes } }, prefix, queue };
      return new Worker({
        ...setup,
        loop: { leaseMs: 20_000 },
        limits: { blockMs: 60_000 },
      }).start();
    });
    try {
      for (let round = 1; round <= 3; round++) {
        await Promise.all(
          workers.map(({ driver }) =>
            driver.enqueueMany(Array(10).fill({ type: 'a', payload: 1 })),
          ),
        );
        for (const { driver } of workers)
          await eventually(async () => (await driver.stats()).done === round * 10);
      }
      for (const { runs, logger } of workers) {
        expect([...runs.values()]).toEqual(Array(30).fill(1));
        expect(logger.of('error')).toEqual([]);
      }
    } finally {
      await Promise.all(workers.map((worker) => worker.stop()));
    }
  });
});
