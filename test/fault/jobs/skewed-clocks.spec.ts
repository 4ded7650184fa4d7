import { jest } from '@jest/globals';
import { useChildPrograms } from '../../support/child-programs.js';
import { useFaultBench } from './bench.js';
import type { ChildWorkerSetup } from './child/worker.js';

const FIVE_MINUTES = 300_000;
const DELAY_MS = 1_500;
const LEASE_MS = 3_000;

const bench = useFaultBench('jobs-skew');
const children = useChildPrograms('test/fault/jobs/child');

function startWorker(clock: Pick<ChildWorkerSetup, 'skewMs' | 'stepMs'>) {
  const { prefix, queue, server } = bench;
  const jobs = { promoteEveryMs: 100 };
  const setup = { url: server.url, prefix, queue, jobs, leaseMs: LEASE_MS, concurrency: 3 };
  return children.run('worker', { ...setup, workMs: LEASE_MS * 1.2, ...clock });
}

/** Adds jobs while the clock of this process is five minutes ahead. */
async function addAhead(): Promise<string[]> {
  const host = Date.now.bind(Date);
  const clock = jest.spyOn(Date, 'now').mockImplementation(() => host() + FIVE_MINUTES);
  try {
    return await bench.add(9, { delayMs: DELAY_MS });
  } finally {
    clock.mockRestore();
  }
}

describe('hosts whose clocks are wrong', () => {
  test('delays and leases hold to the clock of Redis: none early, none stolen, none twice', async () => {
    const slow = startWorker({ skewMs: -FIVE_MINUTES, stepMs: 2 * FIVE_MINUTES });
    const fast = startWorker({ skewMs: FIVE_MINUTES, stepMs: -2 * FIVE_MINUTES });
    const right = startWorker({});
    await Promise.all([slow, fast, right].map((worker) => worker.said('ready')));
    const ids = await addAhead();
    await bench.untilStats({ done: 9, running: 0 }, 30_000);
    const begun = [slow, fast, right].flatMap((worker) => worker.words().slice(1));
    expect(begun.sort()).toEqual(ids.map((id) => `begin ${id}`).sort());
    for (const record of await bench.records('done')) {
      const { attempts, recoveries, enqueuedAt, startedAt, finishedAt } = record;
      expect({ attempts, recoveries }).toEqual({ attempts: 1, recoveries: 0 });
      expect(startedAt! - enqueuedAt).toBeGreaterThanOrEqual(DELAY_MS);
      expect(finishedAt! - enqueuedAt).toBeLessThan(20_000);
    }
    expect(await bench.driver.audit()).toEqual([]);
  });

  test('a time given as a date is compared with the clock of Redis as well', async () => {
    const [seconds] = await bench.redis.time();
    const notBefore = (Number(seconds) + 2) * 1_000;
    const worker = startWorker({ skewMs: FIVE_MINUTES });
    const [id] = await bench.add(1, { notBefore });
    await worker.said(`begin ${id}`);
    const { startedAt } = (await bench.driver.get(id))!;
    expect(startedAt).toBeGreaterThanOrEqual(notBefore);
    expect(startedAt! - notBefore).toBeLessThan(10_000);
  });
});
