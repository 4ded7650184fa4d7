import { pause, signalled } from '../../contract/waiting.js';
import { eventually } from '../../support/eventually.js';
import { freePort } from '../../support/redis-server.js';
import { useFaultBench } from './bench.js';

const AWAY_MS = 2_000;

const bench = useFaultBench('jobs-refused', {});

/** What this process and the server spent on `work`. */
async function costOf(work: () => Promise<unknown>) {
  const cpu = process.cpuUsage();
  await bench.redis.config('RESETSTAT');
  await work();
  const { user, system } = process.cpuUsage(cpu);
  const stats = await bench.redis.info('stats');
  const numberOf = (name: string) => Number(new RegExp(`${name}:(\\d+)`).exec(stats)?.[1]);
  return {
    cpuMs: (user + system) / 1_000,
    commands: numberOf('total_commands_processed') + numberOf('total_error_replies'),
  };
}

async function untilIdle(): Promise<void> {
  await eventually(async () => (await bench.blockedClients()).length === 1);
}

describe('CLIENT UNBLOCK … ERROR on an idle loop', () => {
  test('again and again: the loop waits anew, without a hot loop, and hears the next job', async () => {
    const worker = bench.worker({ direct: true, limits: { blockMs: 60_000 } });
    const { commands } = await costOf(async () => {
      for (let times = 0; times < 5; times++) {
        await untilIdle();
        const [line] = await bench.blockedClients();
        await bench.redis.client('UNBLOCK', Number(/^id=(\d+)/.exec(line)![1]), 'ERROR');
        await eventually(async () => (await bench.blockedClients()).length === 0);
      }
      await untilIdle();
    });
    expect(commands).toBeLessThan(2_000); // most of them are looks of this test
    await bench.add(1);
    await bench.expectAllDoneOnce(1, [worker], 10_000);
    expect(worker.logger.lines.length).toBeLessThan(5);
  });
});

describe('a server that becomes a replica for a while', () => {
  const demote = async () => bench.redis.replicaof('127.0.0.1', await freePort());
  const promote = () => bench.redis.replicaof('NO', 'ONE');
  afterEach(promote);

  test('while jobs run: outcomes are written later, and the rest is done', async () => {
    const release = signalled();
    const handler = () => release.promise;
    const worker = bench.worker({ direct: true, handler, loop: { leaseMs: 10_000 } });
    const idsOfFirst = await bench.add(10);
    await eventually(() => worker.begun === 10);
    await bench.add(20);
    await demote();
    release.resolve();
    const cost = await costOf(() => pause(AWAY_MS));
    expectLowCost(cost);
    await promote();
    const records = await bench.expectAllDoneOnce(30, [worker], 30_000);
    const first = records.filter(({ id }) => idsOfFirst.includes(id));
    expect(first.map(({ id }) => worker.runs.get(id))).toEqual(Array(10).fill(1));
    expect(worker.logger.lines.length).toBeLessThan(10);
  });

  test('while the loop is idle: it takes the next job afterwards', async () => {
    const worker = bench.worker({ direct: true });
    await untilIdle();
    await demote();
    expectLowCost(await costOf(() => pause(AWAY_MS)));
    await promote();
    await bench.add(3);
    await bench.expectAllDoneOnce(3, [worker], 30_000);
    expect(worker.logger.lines.length).toBeLessThan(10);
  });

  test('a delayed job keeps its delay over the retry, and its options stay as they were', async () => {
    const job = Object.freeze({ type: 'work', payload: null, delayMs: 3_600_000, priority: 1 });
    await bench.driver.stats();
    await demote();
    const calls = [bench.driver.enqueue(job), bench.driver.enqueue(job)];
    await pause(300);
    await promote();
    const ids = (await Promise.all(calls)).map(({ id }) => id);
    expect(await bench.driver.stats()).toMatchObject({ scheduled: 2, pending: 0 });
    for (const id of ids) {
      const { notBefore, enqueuedAt } = (await bench.driver.get(id))!;
      expect(notBefore! - enqueuedAt).toBe(3_600_000);
    }
  });
});

describe('a server whose memory is full for a while', () => {
  afterEach(() => bench.redis.config('SET', 'maxmemory', '0'));

  test('what runs ends all the same, half of it badly; what waits is done later', async () => {
    const release = signalled();
    const worker = bench.worker({
      direct: true,
      handler: async ({ payload }) => {
        await release.promise;
        if (payload === 'bad') throw new Error('as told');
      },
      loop: { leaseMs: 10_000, retry: { attempts: 1 } },
    });
    await bench.add(5);
    await bench.add(5, { payload: 'bad' });
    await eventually(() => worker.begun === 10);
    await bench.add(20);
    await bench.redis.config('SET', 'maxmemory', '1mb');
    await expect(bench.add(1)).rejects.toMatchObject({ retryable: true, outcomeAmbiguous: false });
    release.resolve();
    expectLowCost(await costOf(() => pause(AWAY_MS)));
    await bench.redis.config('SET', 'maxmemory', '0');
    await bench.untilStats({ done: 25, failed: 5, running: 0, pending: 0 });
    expect([...worker.runs.values()]).toEqual(Array(30).fill(1));
    expect(await bench.driver.audit()).toEqual([]);
    expect(worker.logger.lines.length).toBeLessThan(10);
  });
});

/** A hot loop sends thousands of commands a second, those within scripts included. */
function expectLowCost({ cpuMs, commands }: { cpuMs: number; commands: number }): void {
  expect(commands).toBeLessThan(1_500);
  expect(cpuMs).toBeLessThan(AWAY_MS / 2);
}
