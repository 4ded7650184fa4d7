import { pause } from '../../contract/waiting.js';
import { eventually } from '../../support/eventually.js';
import { useFaultBench } from './bench.js';

// `appendfsync always`: what the server has answered is on the disk
const bench = useFaultBench('jobs-redis-killed', { appendonly: true });

/** SIGKILL, a while without a server, and again on the same port and folder. */
async function crash(awayMs: number): Promise<void> {
  await bench.server.kill!();
  await pause(awayMs);
  bench.server = await bench.server.restart!();
}

describe('a server that is killed and comes back', () => {
  test('in the middle of the load: the loop goes on by itself, and nothing is lost', async () => {
    const worker = bench.worker({ direct: true, handler: () => pause(10) });
    await bench.add(200);
    for (const share of [50, 130]) {
      await eventually(() => worker.begun >= share, { withinMs: 20_000 });
      await crash(300);
    }
    await bench.expectAllDoneOnce(200, [worker], 30_000);
    expect(worker.logger.lines.length).toBeLessThan(30);
  });

  test('while jobs are added: each that was answered is there, none is there twice', async () => {
    const ids = Array.from({ length: 400 }, (_, at) => `job-${at}`);
    const answered = new Set<string>();
    const adding = (async () => {
      for (const id of ids) await addInsisting(id).then(() => answered.add(id));
    })();
    await eventually(() => answered.size >= 100, { withinMs: 20_000 });
    await crash(200);
    await adding;
    const found = await bench.records('pending');
    expect(found.map(({ id }) => id)).toEqual(ids);
    expect(await bench.driver.audit()).toEqual([]);
  });

  test('while the loop is idle: it waits anew and takes the next job', async () => {
    const worker = bench.worker({ direct: true, limits: { blockMs: 60_000 } });
    await eventually(async () => (await bench.blockedClients()).length === 1);
    await crash(500);
    await bench.add(3);
    await bench.expectAllDoneOnce(3, [worker]);
    expect(worker.logger.lines.length).toBeLessThan(20);
  });
});

/** As a producer does that wants to be sure: the same id again until there is an answer. */
async function addInsisting(id: string): Promise<void> {
  await eventually(() => bench.driver.enqueue({ id, type: 'work', payload: id }));
}
