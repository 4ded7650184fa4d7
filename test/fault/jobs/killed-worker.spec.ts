import { pause } from '../../contract/waiting.js';
import { eventually } from '../../support/eventually.js';
import { useChildPrograms } from '../../support/child-programs.js';
import { useFaultBench } from './bench.js';
import type { ChildWorkerSetup } from './child/worker.js';

const bench = useFaultBench('jobs-kill');
const children = useChildPrograms('test/fault/jobs/child');

function startWorker(more: Partial<ChildWorkerSetup>) {
  const { prefix, queue, server } = bench;
  return children.run('worker', {
    url: server.url,
    prefix,
    queue,
    jobs: { promoteEveryMs: 100 },
    ...more,
  });
}

describe('a worker process that is killed', () => {
  test('in the middle of 200 jobs: what it held runs again soon after its lease', async () => {
    await bench.add(200);
    const first = startWorker({ concurrency: 20, workMs: 300 });
    await eventually(async () => (await bench.driver.stats()).done >= 40, { withinMs: 20_000 });
    await eventually(async () => (await bench.driver.stats()).running === 20);
    first.kill('SIGKILL');
    await first.ended;
    const killedAt = await redisNow();
    const second = bench.worker({ direct: true, handler: () => pause(1) });
    await bench.untilStats({ done: 200, running: 0, pending: 0 });
    const records = await bench.records('done');
    const recovered = records.filter(({ recoveries }) => recoveries > 0);
    expect(recovered.length).toBeGreaterThan(0);
    expect(recovered.length).toBeLessThanOrEqual(20);
    for (const { id, attempts, recoveries, startedAt } of recovered) {
      expect({ attempts, recoveries }).toEqual({ attempts: 2, recoveries: 1 });
      expect(second.runs.get(id)).toBe(1);
      expect(startedAt! - killedAt).toBeLessThan(6_000); // the lease is 1 s
    }
    expect(records.filter(({ attempts }) => attempts === 1)).toHaveLength(200 - recovered.length);
    expect(await bench.driver.audit()).toEqual([]);
  });

  test('by each run of a job: that one is failed in the end, and the others are done', async () => {
    const [byAttempts] = await bench.add(1, { payload: 'exit', maxAttempts: 2 });
    const [byRecoveries] = await bench.add(1, { payload: 'exit', maxAttempts: 10 });
    const good = await bench.add(20);
    const jobs = { promoteEveryMs: 50, maxRecoveries: 2 };
    const deaths = await superviseUntil(
      () => startWorker({ leaseMs: 300, jobs }),
      async () => (await bench.driver.stats()).failed === 2 && (await isDone(20)),
    );
    expect(deaths).toBe(5);
    expect(await bench.driver.get(byAttempts)).toMatchObject({
      status: 'failed',
      attempts: 2,
      recoveries: 2,
      lastError: expect.stringMatching(/no attempt is left/) as string,
    });
    expect(await bench.driver.get(byRecoveries)).toMatchObject({
      status: 'failed',
      attempts: 3,
      recoveries: 3,
      lastError: expect.stringMatching(/maxRecoveries \(2\)/) as string,
    });
    const records = await bench.records('done');
    expect(records.map(({ id }) => id).sort()).toEqual([...good].sort());
    expect(await bench.driver.audit()).toEqual([]);
  });
});

async function redisNow(): Promise<number> {
  const [seconds, micros] = await bench.redis.time();
  return Number(seconds) * 1_000 + Number(micros) / 1_000;
}

async function isDone(count: number): Promise<boolean> {
  return (await bench.driver.stats()).done === count;
}

/** Starts a worker again whenever it has died; answers how often it has. */
async function superviseUntil(
  start: () => ReturnType<typeof startWorker>,
  isOver: () => Promise<boolean>,
): Promise<number> {
  let deaths = 0;
  let isWatching = true;
  const supervise = async () => {
    for (; isWatching; deaths++) await start().ended;
  };
  const supervision = supervise();
  try {
    await eventually(isOver, { withinMs: 25_000, everyMs: 50 });
    return deaths;
  } finally {
    isWatching = false;
    await children.killAll();
    await supervision;
  }
}
