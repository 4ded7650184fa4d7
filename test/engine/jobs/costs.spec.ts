import { ClaimLoop } from '../../../lib/worker/index.js';
import { Promoter } from '../../../lib/upkeep/index.js';
import { RecordingLogger } from '../../contract/logs.js';
import { eventually } from '../../support/eventually.js';
import { useJobs, type OpenQueue } from './jobs-fixture.js';

// counts need a server to themselves
const jobs = useJobs('costs', {});

/** What Redis did during `work`: scripts, and commands inside and outside of them. */
async function during(
  work: () => Promise<unknown>,
): Promise<{ scripts: number; commands: number }> {
  const [scripts, commands] = [await jobs.scriptsRun(), await allCalls()];
  await work();
  const [scriptsAfter, commandsAfter] = [await jobs.scriptsRun(), await allCalls()];
  return { scripts: scriptsAfter - scripts, commands: commandsAfter - commands };
}

/** All calls of all commands but those of this measurement. */
async function allCalls(): Promise<number> {
  const stats = await jobs.redis.info('commandstats');
  const lines = stats
    .split('\n')
    .filter((line) => !/cmdstat_(info|client\||hello|ping)/.test(line));
  const calls = lines.map((line) => Number(/calls=(\d+)/.exec(line)?.[1] ?? 0));
  return calls.reduce((sum, count) => sum + count, 0);
}

/** Runs the queue dry by a loop. */
async function drain(process: OpenQueue, concurrency: number, count: number): Promise<void> {
  let runs = 0;
  const target = { queue: jobs.queue, slots: concurrency, leaseMs: 30_000, attempts: 3 };
  const loop = new ClaimLoop({
    name: 'costs',
    source: process.engine.source(target),
    handler: () => void runs++,
    options: { concurrency },
    logger: new RecordingLogger(),
  });
  loop.start();
  await eventually(() => runs === count);
  await loop.drain(5_000);
}

async function addMany(count: number, type = 'work', payload: unknown = 'x'): Promise<void> {
  const job = { type, payload };
  for (let left = count; left > 0; left -= 5_000)
    await jobs.driver.enqueueMany(Array<typeof job>(Math.min(left, 5_000)).fill(job));
}

/** Memory of the server, once it is at rest. */
async function memory(): Promise<number> {
  const info = await jobs.redis.info('memory');
  return Number(/used_memory:(\d+)/.exec(info)?.[1]);
}

afterEach(() => jobs.redis.flushall());
beforeEach(async () => {
  await jobs.driver.stats(); // connected
  await addMany(1);
  await jobs.driver.ack(await jobs.takeOne()); // and the scripts are known
});

test.each([
  ['filtered', ['work']],
  ['unfiltered', []],
])('a %s claim costs the same with 100,000 waiting jobs of a foreign type', async (_, types) => {
  const claim = () => during(async () => jobs.driver.ack(await jobs.takeOne({ types })));
  await addMany(4, 'work');
  if (types.length === 0) await jobs.add({ type: 'foreign', priority: -9 });
  const before = await claim();
  await jobs.driver.enqueue({ type: 'foreign', payload: 0, priority: -9 });
  const job = { type: 'foreign', payload: 0, priority: types.length === 0 ? -9 : 9 };
  for (let n = 0; n < 20; n++) await jobs.driver.enqueueMany(Array<typeof job>(5_000).fill(job));
  await claim(); // the bell of the foreign type has been rung
  const after = await claim();
  expect(after).toEqual(before);
  expect(after.commands).toBeLessThan(40);
  jobs.isDamaged = true; // sound, but the walk is long
});

test('a loop of concurrency 1 makes one round trip a job', async () => {
  const process = jobs.process();
  await process.driver.stats();
  await addMany(300);
  const { scripts } = await during(() => drain(process, 1, 300));
  expect(scripts).toBeLessThanOrEqual(300 + 6);
});

test('a loop of concurrency 50 makes a fraction of one', async () => {
  const process = jobs.process();
  await process.driver.stats();
  await addMany(2_000);
  const { scripts, commands } = await during(() => drain(process, 50, 2_000));
  expect(scripts).toBeLessThan(2_000 / 8);
  expect(commands).toBeLessThan(2_000 * 3);
});

test('enqueues of one tick share a round trip', async () => {
  const { scripts } = await during(() =>
    Promise.all(Array.from({ length: 400 }, (_, n) => jobs.add({ payload: n }))),
  );
  expect(scripts).toBeLessThanOrEqual(2);
});

test('a waiting job of 100 bytes takes less than 410 bytes, a done one less than 590', async () => {
  const count = 20_000;
  const process = jobs.process({ keepDone: { count: 100_000 } });
  const empty = await memory();
  await addMany(count, 'work', 'x'.repeat(98));
  const waiting = ((await memory()) - empty) / count;
  expect(waiting).toBeLessThan(410);
  await drain(process, 100, count);
  await eventually(async () => (await jobs.driver.stats()).done === count + 1);
  const done = ((await memory()) - empty) / count;
  expect(done).toBeLessThan(590);
  jobs.isDamaged = true; // sound, but the walk is long
});

test.each([1, 4, 10])(
  'an idle loop of %p slots sends at most a command a second',
  async (slots) => {
    const process = jobs.process();
    const target = { queue: jobs.queue, slots, leaseMs: 30_000, attempts: 3 };
    const logger = new RecordingLogger();
    const promoter = new Promoter({ everyMs: 1_000, logger });
    for (const task of process.engine.upkeep(target)) promoter.add(task);
    const source = process.engine.source(target);
    const options = { concurrency: slots };
    const loop = new ClaimLoop({ name: 'idle', source, handler: () => undefined, options, logger });
    promoter.start();
    loop.start();
    await process.untilWaiting();
    const begun = performance.now();
    const blocks = await jobs.callsOf('blpop');
    const { scripts } = await during(() => new Promise((resolve) => setTimeout(resolve, 8_000)));
    const sent = scripts + (await jobs.callsOf('blpop')) - blocks;
    expect(sent / ((performance.now() - begun) / 1_000)).toBeLessThanOrEqual(1);
    await loop.drain(1_000);
    await promoter.stop();
  },
);

describe('a claim that waits', () => {
  test('for another type sleeps on', async () => {
    const { driver, untilWaiting } = jobs.process();
    const stop = new AbortController();
    const claimed = driver.dequeue({ types: ['other'], signal: stop.signal, waitMs: 20_000 });
    await untilWaiting();
    const { scripts } = await during(async () => {
      await jobs.add();
      await jobs.add();
      await jobs.driver.stats();
    });
    expect(scripts).toBe(3);
    stop.abort();
    expect(await claimed).toEqual([]);
  });

  test.each([
    ['due', { delayMs: 1 }],
    ['waiting', {}],
  ])('does not spin while the queue is paused and a job is %s', async (_, job) => {
    await jobs.driver.pause();
    await jobs.add(job);
    const { scripts } = await during(() => jobs.driver.dequeue({ waitMs: 700 }));
    expect(scripts).toBeLessThan(8);
  });

  test('does not spin while a job is due in a day', async () => {
    await jobs.add({ delayMs: 86_400_000 });
    const { scripts } = await during(() => jobs.driver.dequeue({ waitMs: 700 }));
    expect(scripts).toBeLessThan(8);
  });
});
