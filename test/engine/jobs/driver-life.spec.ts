import { Redis } from 'ioredis';
import { ClosedError } from '../../../lib/errors/index.js';
import { JobDriver, type JobDriverOptions } from '../../../lib/jobs/index.js';
import { RecordingLogger } from '../../contract/logs.js';
import { eventually } from '../../support/eventually.js';
import { useJobs } from './jobs-fixture.js';

// clients and calls are counted, so a server to itself
const jobs = useJobs('driver', {});
const drivers: JobDriver[] = [];
afterEach(() => Promise.all(drivers.splice(0).map((driver) => driver.close())));

function open(options: JobDriverOptions = {}): JobDriver {
  const way = 'client' in options ? {} : { connection: { url: jobs.url } };
  const logger = new RecordingLogger();
  const shared = { prefix: jobs.prefix, queue: jobs.queue, logger };
  const driver = new JobDriver({ ...shared, ...way, ...options });
  drivers.push(driver);
  return driver;
}

async function clients(): Promise<number> {
  const list = (await jobs.redis.client('LIST')) as string;
  return list.split('\n').filter((line) => line.includes('nest-redis-queue:jobs')).length;
}

describe('a driver without the module', () => {
  test('promotes, recovers and trims by itself', async () => {
    open({ promoteEveryMs: 20 });
    const scheduled = await jobs.add({ delayMs: 50 });
    const held = await jobs.addAndTake();
    await jobs.lapse();
    await eventually(async () => (await jobs.statusOf(held.id)) === 'pending');
    await eventually(async () => (await jobs.statusOf(scheduled)) === 'pending');
  });

  test('has no upkeep with promoter: false', async () => {
    const driver = open({ promoter: false });
    await driver.stats();
    const before = await jobs.scriptsRun();
    await new Promise((resolve) => setTimeout(resolve, 1_300));
    expect(await jobs.scriptsRun()).toBe(before);
  });

  test('opens nothing before its first call', async () => {
    open({ promoter: false });
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(await clients()).toBe(0);
  });

  test('promotes nothing after close, which ends its connections and is safe twice', async () => {
    const driver = open({ promoteEveryMs: 10 });
    await driver.stats();
    await Promise.all([driver.close(), driver.close()]);
    await driver.close();
    await eventually(async () => (await clients()) === 0);
    const id = await jobs.add({ delayMs: 1 });
    await new Promise((resolve) => setTimeout(resolve, 150));
    expect(await jobs.statusOf(id)).toBe('scheduled');
    await expect(driver.stats()).rejects.toBeInstanceOf(ClosedError);
    await expect(driver.enqueue({ type: 'a', payload: 1 })).rejects.toBeInstanceOf(ClosedError);
  });

  test('close while upkeep runs waits for it', async () => {
    const driver = open({ promoteEveryMs: 10, promoteLimit: 1 });
    for (let n = 0; n < 30; n++) await jobs.add({ delayMs: 3_600_000 });
    await driver.stats();
    await jobs.makeDue();
    await driver.close();
    const { pending } = await jobs.driver.stats();
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect((await jobs.driver.stats()).pending).toBe(pending);
  });

  test('does not close a client that was handed over, nor works on it', async () => {
    const client = new Redis(jobs.url);
    try {
      const driver = open({ client });
      await driver.enqueue({ type: 'a', payload: 1 });
      await driver.close();
      expect(client.status).toBe('ready');
      expect(await client.ping()).toBe('PONG');
    } finally {
      client.disconnect();
    }
  });

  test('close ends a claim that waits', async () => {
    const driver = open();
    const claiming = driver.dequeue({ waitMs: 20_000 }).catch((error: Error) => error);
    await eventually(async () => ((await jobs.redis.client('LIST')) as string).includes('flags=b'));
    const begun = performance.now();
    await driver.close();
    await claiming;
    expect(performance.now() - begun).toBeLessThan(3_000);
  });
});

describe('the driver of another queue', () => {
  test('is one a name, with one upkeep a queue', async () => {
    const driver = open({ promoteEveryMs: 500 });
    const other = driver.queue('other');
    expect(driver.queue(jobs.queue)).toBe(driver);
    expect(other.queue('other')).toBe(other);
    expect(other.queue(jobs.queue)).toBe(driver);
    for (let n = 0; n < 50; n++) expect(driver.queue('other')).toBe(other);
    await other.stats();
    const before = await jobs.scriptsRun();
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    expect((await jobs.scriptsRun()) - before).toBeLessThanOrEqual(8);
  });

  test('shares the connection, and its close leaves it open', async () => {
    const driver = open({ promoter: false });
    await driver.stats();
    const other = driver.queue('other');
    await other.stats();
    expect(await clients()).toBe(1);
    await other.close();
    await driver.stats();
  });

  test('is an empty queue of its own', async () => {
    const driver = open();
    await driver.enqueue({ type: 'a', payload: 1 });
    expect(await driver.queue('other').dequeue({ waitMs: 0 })).toEqual([]);
    expect(driver.queue('other').name).toBe('other');
  });
});

describe('keys of a client with a prefix of its own', () => {
  test('all carry it, through all verbs', async () => {
    const client = new Redis(jobs.url, { keyPrefix: 'app:' });
    try {
      const driver = open({ client, prefix: jobs.prefix, promoter: false });
      const { id } = await driver.enqueue({ type: 'a', payload: 1, coalesceBy: 'k' });
      const waiting = driver.dequeue({ types: ['b'], waitMs: 10_000 });
      await driver.enqueue({ type: 'b', payload: 2, delayMs: 50 });
      await driver.ack((await waiting)[0]);
      const [job] = await driver.dequeue();
      expect(job.id).toBe(id);
      await driver.fail(job, 'x', { retry: false });
      await driver.retry(id);
      await driver.cancel(id);
      expect(await driver.audit()).toEqual([]);
      expect((await driver.list()).total).toBe(2);
      const keys = await jobs.redis.keys(`*${jobs.queue}*`);
      expect(keys.every((key) => key.startsWith('app:'))).toBe(true);
      expect(keys.length).toBeGreaterThan(4);
      await jobs.redis.del(...keys);
    } finally {
      client.disconnect();
    }
  });
});
