import { pause } from '../../contract/waiting.js';
import { useGroups } from '../../engine/groups/groups-fixture.js';
import { useChildPrograms, type ChildProgram } from '../../support/child-programs.js';
import { eventually } from '../../support/eventually.js';
import type { ChildWorkerSetup } from './child/worker.js';

const groups = useGroups('killed');
const children = useChildPrograms('test/fault/groups/child');

const GROUPS = 200;
const EACH = 12;
const NAMES = Array.from({ length: GROUPS }, (_, n) => `g${n}`);

const logKey = () => `${groups.prefix}:log:${groups.topic}`;

function startWorker(more: Partial<ChildWorkerSetup> = {}): ChildProgram {
  return children.run('worker', {
    url: groups.url,
    prefix: groups.prefix,
    topic: groups.topic,
    log: logKey(),
    concurrency: 8,
    leaseMs: 700,
    workMs: 12,
    ...more,
  } satisfies ChildWorkerSetup);
}

/** Number after number, each published when the one before is in. */
async function publishAll(): Promise<void> {
  for (let number = 0; number < EACH; number++) {
    const messages = NAMES.map((group) => ({ group, payload: number }));
    await groups.transport.publishMany(messages);
  }
}

/** The runs of a group that wrote, in order. */
async function runsOf(group: string): Promise<{ number: number; fence: number }[]> {
  const lines = await groups.redis.lrange(`${logKey()}:${group}`, 0, -1);
  return lines.map((line) => {
    const [number, fence] = line.split(' ').map(Number);
    return { number, fence };
  });
}

/** A run begins with the message after the last one, or repeats what a crash left unacked. */
function expectInOrder(runs: readonly { number: number; fence: number }[], batch: number): void {
  let next = 0;
  let lastFence = 0;
  for (const { number, fence } of runs) {
    expect(number).toBeLessThanOrEqual(next);
    expect(number).toBeGreaterThanOrEqual(Math.max(0, next - batch));
    expect(fence).toBeGreaterThan(lastFence);
    next = number + 1;
    lastFence = fence;
  }
  expect(next).toBe(EACH);
}

/** Kills one worker after the other at random, each replaced at once, while the work goes on. */
async function killAtRandom(workers: ChildProgram[], more: Partial<ChildWorkerSetup>) {
  let kills = 0;
  while ((await groups.transport.depth()) > GROUPS) {
    await pause(40 + Math.random() * 160);
    const at = Math.floor(Math.random() * workers.length);
    workers[at].kill('SIGKILL');
    kills += 1;
    await workers[at].ended;
    workers[at] = startWorker(more);
  }
  return kills;
}

describe('worker processes that are killed', () => {
  test.each([1, 5])(
    '8 of them on 200 groups, %i messages a lease: nothing is lost, every group in order',
    async (groupBatch) => {
      const more = { groupBatch };
      const workers = Array.from({ length: 8 }, () => startWorker(more));
      await Promise.all(workers.map((worker) => worker.said('ready')));
      await publishAll();
      const kills = await killAtRandom(workers, more);
      await eventually(async () => (await groups.transport.depth()) === 0, {
        withinMs: 40_000,
        everyMs: 50,
      });
      expect(kills).toBeGreaterThan(0);
      for (const group of NAMES) expectInOrder(await runsOf(group), groupBatch);
      expect(await groups.transport.deadLetters.count()).toBe(0);
    },
    90_000,
  );

  test('by one message, over and over: it is a dead letter, and its group goes on', async () => {
    await groups.publishAll('g', [0, 'exit', 1]);
    const alone = { concurrency: 1, leaseMs: 300, attempts: 3 };
    let deaths = 0;
    const supervise = (worker: ChildProgram): void =>
      void worker.ended.then(({ signal }) => {
        if (signal === 'SIGKILL') return;
        deaths += 1;
        supervise(startWorker(alone));
      });
    supervise(startWorker(alone));
    await eventually(async () => (await groups.transport.depth()) === 0, { withinMs: 25_000 });
    const [letter] = await groups.transport.deadLetters.list();
    expect(letter).toMatchObject({ payload: 'exit', attempts: 3, group: 'g' });
    expect(deaths).toBe(3);
    expect((await runsOf('g')).map(({ number }) => number)).toEqual([0, 1]);
  });

  test('and one that only stood still: the newest fence wins, its late ack is refused', async () => {
    await groups.publishAll('g', [0, 1, 2]);
    const still = startWorker({ concurrency: 1, workMs: 4_000, isSteady: true });
    await eventually(async () => (await runsOf('g')).length === 1, { withinMs: 20_000 });
    still.kill('SIGSTOP');
    const other = startWorker({ concurrency: 1, workMs: 1 });
    await eventually(async () => (await groups.transport.depth()) === 0, { withinMs: 20_000 });
    still.kill('SIGCONT');
    await groups.publishAll('g', [3]);
    await eventually(async () => (await groups.transport.depth()) === 0, { withinMs: 20_000 });
    const runs = await runsOf('g');
    expect(runs.map(({ number }) => number)).toEqual([0, 0, 1, 2, 3]);
    other.kill('SIGKILL');
  });
});
