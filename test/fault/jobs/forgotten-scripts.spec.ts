import { pause } from '../../contract/waiting.js';
import { useFaultBench } from './bench.js';

// a server of its own: others want to keep their scripts
const bench = useFaultBench('jobs-noscript', {});

/** Flushes the scripts again and again until `work` has ended. */
async function whileForgetting<T>(work: Promise<T>): Promise<T> {
  let isOver = false;
  const ended = work.finally(() => (isOver = true));
  const flushes = (async () => {
    for (let flushes = 0; !isOver; flushes++) {
      await bench.redis.script('FLUSH');
      await pause(flushes % 5);
    }
  })();
  await flushes;
  return ended;
}

describe('a server that forgets its scripts in the middle of the load', () => {
  test('runs every job once, whether added alone, in bulk or concurrently', async () => {
    const worker = bench.worker({
      direct: true,
      handler: () => pause(1),
      loop: { leaseMs: 20_000 },
    });
    const load = async () => {
      const bulk = bench.add(500);
      const alone = Array.from({ length: 200 }, async (_, at) => {
        await pause(at);
        return bench.driver.enqueue({ type: `kind-${at % 7}`, payload: at });
      });
      const created = await Promise.all(alone);
      expect(created.every((one) => one.created)).toBe(true);
      await bulk;
      await bench.untilStats({ done: 700 });
    };
    await whileForgetting(load());
    await bench.expectAllDoneOnce(700, [worker]);
    expect(worker.logger.lines.filter(({ text }) => text.includes('NOSCRIPT'))).toEqual([]);
    expect([...worker.runs.values()].every((runs) => runs === 1)).toBe(true);
  });

  test('carries out every verb, each with its effect once', async () => {
    const { driver } = bench;
    const rounds = Array.from({ length: 30 }, async (_, at) => {
      const type = `t${at}`;
      const add = () => driver.enqueue({ type, payload: at, coalesceBy: `key-${at}` });
      const first = await add();
      expect(await add()).toMatchObject({ absorbedBy: first.id });
      const [job] = await driver.dequeue({ types: [type], waitMs: 0 });
      expect(await driver.extend([job])).toEqual(['extended']);
      await driver.fail(job, 'no', { retryInMs: 0 });
      const [again] = await driver.dequeue({ types: [type], waitMs: 0 });
      await driver.fail(again, 'no more', { retry: false });
      await driver.retry(job.id);
      const [third] = await driver.dequeue({ types: [type], waitMs: 0 });
      await driver.release(third);
      const [last] = await driver.dequeue({ types: [type], waitMs: 0 });
      expect(last).toMatchObject({ id: first.id, attempt: 3 });
      await driver.ack(last, at);
      expect(await driver.get(job.id)).toMatchObject({ status: 'done', result: at, attempts: 3 });
      const { id } = await driver.enqueue({ type, payload: at, delayMs: 60_000 });
      await driver.cancel(id);
    });
    await whileForgetting(Promise.all(rounds));
    expect(await driver.stats()).toMatchObject({ done: 30, cancelled: 30, pending: 0, running: 0 });
    expect(await driver.audit()).toEqual([]);
  });
});
