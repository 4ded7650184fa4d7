import { pause } from '../../contract/waiting.js';
import { useChildPrograms, type ChildProgram } from '../../support/child-programs.js';
import { useFaultBench } from './bench.js';

const JOBS = 5_000;
const KILLS = 6;

const bench = useFaultBench('jobs-promote');
const children = useChildPrograms('test/fault/jobs/child');

function startPromoter(): ChildProgram {
  const { prefix, queue, server } = bench;
  // two a call, so that many calls are needed and a kill hits the middle of the work
  const jobs = { promoteEveryMs: 10, promoteLimit: 2 };
  return children.run('worker', { url: server.url, prefix, queue, role: 'promoter', jobs });
}

/** Every job is in exactly one of the two states at any time, whoever dies. */
async function countsNow(): Promise<{ scheduled: number; pending: number }> {
  const { scheduled, pending, running, done, failed } = await bench.driver.stats();
  expect({ sum: scheduled + pending, running, done, failed }).toEqual({
    sum: JOBS,
    running: 0,
    done: 0,
    failed: 0,
  });
  return { scheduled, pending };
}

describe('5,000 due jobs and two promoters, one of them killed again and again', () => {
  test('none is lost at any time, and none is promoted twice', async () => {
    const ids = await bench.add(JOBS, { notBefore: await dueTogether() });
    const steady = startPromoter();
    let doomed = startPromoter();
    let midway = 0;
    for (let kills = 0; kills < KILLS; kills++) {
      await doomed.said('ready');
      await pause(Math.random() * 60);
      doomed.kill('SIGKILL');
      await doomed.ended;
      midway += (await countsNow()).scheduled > 0 ? 1 : 0;
      doomed = startPromoter();
    }
    expect(midway).toBeGreaterThan(0);
    while ((await countsNow()).scheduled > 0) await pause(5);
    steady.kill('SIGKILL');
    await expectEachOnce(ids);
  });
});

/** Not due before all of them are in. */
async function dueTogether(): Promise<number> {
  const [seconds] = await bench.redis.time();
  return (Number(seconds) + 2) * 1_000;
}

async function expectEachOnce(ids: readonly string[]): Promise<void> {
  expect(await bench.driver.audit()).toEqual([]);
  const taken: string[] = [];
  for (let page = [{ id: '' }]; page.length > 0;) {
    page = await bench.driver.dequeue({ limit: 500, waitMs: 0 });
    taken.push(...page.map(({ id }) => id));
  }
  expect(taken).toEqual(ids); // in the order of adding, as their priority is the same
}
