import { setTimeout } from 'node:timers/promises';
import type { Handler } from '../../../lib/contract/index.js';
import { pause, signalled } from '../../contract/waiting.js';
import { eventually } from '../../support/eventually.js';
import { useFaultBench } from './bench.js';

// a server of its own, since these tests count its blocked clients
const bench = useFaultBench('jobs-cut', {});
const LIMITS = { commandTimeoutMs: 500, connectTimeoutMs: 500, blockMs: 500 };

async function untilIdle(): Promise<void> {
  await eventually(async () => (await bench.blockedClients()).length === 1);
}

describe('a connection that is cut', () => {
  test('while handlers run: nothing is lost, nothing runs twice without a lost lease', async () => {
    const worker = bench.worker({ handler: () => pause(10) });
    await bench.add(300);
    for (const share of [20, 60, 110, 170, 230]) {
      await eventually(() => worker.begun >= share, { withinMs: 20_000 });
      bench.proxy.cut();
    }
    await bench.expectAllDoneOnce(300, [worker]);
    expect(worker.logger.lines.length).toBeLessThan(30);
  });

  test('while the loop is idle: it waits anew, and hears the next job at once', async () => {
    const worker = bench.worker({ limits: { blockMs: 60_000 } });
    await untilIdle();
    for (let cuts = 0; cuts < 3; cuts++) {
      bench.proxy.cut();
      await eventually(async () => (await bench.blockedClients()).length === 0);
      await untilIdle();
    }
    await bench.add(1);
    await bench.expectAllDoneOnce(1, [worker], 5_000);
  });

  test('while a job is added between the cut and the next wait: it is found', async () => {
    const worker = bench.worker({ limits: { blockMs: 60_000 } });
    for (let count = 1; count <= 5; count++) {
      await untilIdle();
      bench.proxy.cut();
      await bench.add(1);
      await bench.untilStats({ done: count }, 10_000);
    }
    await bench.expectAllDoneOnce(5, [worker]);
  });
});

describe('a network that swallows what it is given', () => {
  test('a stall is sat out', async () => {
    const worker = bench.worker({ handler: () => pause(10), limits: LIMITS });
    await bench.add(200);
    await eventually(() => worker.begun >= 50);
    bench.proxy.stall();
    await pause(1_200);
    bench.proxy.resume();
    await bench.expectAllDoneOnce(200, [worker]);
    expect(worker.logger.lines.length).toBeLessThan(20);
  });

  test('the jobs in it are taken over by lease; their holder is told, and goes on later', async () => {
    const reasons: unknown[] = [];
    const handler: Handler = async (_, { signal }) => {
      signal.addEventListener('abort', () => reasons.push((signal.reason as Error).name));
      if (reasons.length < 4) await setTimeout(60_000, undefined, { signal });
    };
    const cutOff = bench.worker({ handler, loop: { concurrency: 4 }, limits: LIMITS });
    await bench.add(4);
    await eventually(() => cutOff.begun === 4);
    bench.proxy.blackHole();
    const other = bench.worker({ direct: true });
    await bench.untilStats({ done: 4 });
    await eventually(() => reasons.length === 4);
    expect(reasons).toEqual(Array(4).fill('LeaseLostError'));
    await other.loop.drain(5_000);
    endBlackHole();
    await bench.add(6);
    const records = await bench.expectAllDoneOnce(10, [cutOff, other]);
    expect(records.filter(({ recoveries }) => recoveries === 1)).toHaveLength(4);
    expect(cutOff.begun).toBe(10);
  });

  test('an idle loop sees through it within the block time and a margin', async () => {
    const idle = bench.worker({ limits: LIMITS });
    await untilIdle();
    bench.proxy.blackHole();
    const begun = performance.now();
    await bench.add(3); // the ring is swallowed
    await eventually(() => idle.logger.lines.some(({ text }) => /doorbell: no conn/.test(text)));
    expect(performance.now() - begun).toBeLessThan(5_000); // 0.5 s of blocking and 1 s of margin
    endBlackHole();
    await bench.expectAllDoneOnce(3, [idle]);
  });
});

/** What was swallowed never comes, so the connections that lost something are cut. */
function endBlackHole(): void {
  bench.proxy.cut();
  bench.proxy.resume();
}

async function awayForASecond(): Promise<void> {
  bench.proxy.refuse();
  await pause(1_000);
  bench.proxy.resume();
}

describe('a reply that is lost', () => {
  test('of a settle and claim: it is asked again, and no attempt is spent for nothing', async () => {
    const release = signalled();
    const loop = { concurrency: 4, leaseMs: 60_000 };
    const one = bench.worker({ handler: () => release.promise, loop });
    await bench.add(20);
    await eventually(() => one.begun === 4);
    bench.proxy.dropReplies();
    release.resolve();
    await bench.untilStats({ done: 4, running: 4 });
    endBlackHole();
    const records = await bench.expectAllDoneOnce(20, [one]);
    expect(records.filter(({ attempts }) => attempts !== 1)).toEqual([]);
    expect([...one.runs.values()]).toEqual(Array(20).fill(1));
    expect(one.logger.lines.filter(({ text }) => text.includes('not written'))).toEqual([]);
  });

  test.each([
    ['until the call times out', () => bench.proxy.dropOpenReplies(), () => Promise.resolve()],
    ['and the server is away for a second', () => bench.proxy.dropReplies(), awayForASecond],
  ])('of a settle and claim, %s: it is asked again', async (_, lose, goOn) => {
    const release = signalled();
    const limits = { commandTimeoutMs: 1_000, connectTimeoutMs: 10_000 };
    const loop = { concurrency: 4, leaseMs: 60_000 };
    const one = bench.worker({ handler: () => release.promise, loop, limits });
    await bench.add(20);
    await eventually(() => one.begun === 4);
    lose();
    release.resolve();
    await bench.untilStats({ done: 4, running: 4 });
    await goOn();
    const records = await bench.expectAllDoneOnce(20, [one]);
    expect(records.filter(({ attempts }) => attempts !== 1)).toEqual([]);
    expect([...one.runs.values()]).toEqual(Array(20).fill(1));
  });

  test('of one call after another, under load: each job runs once, within its first lease', async () => {
    const loop = { concurrency: 10, leaseMs: 60_000 };
    const one = bench.worker({ handler: () => pause(2), loop, limits: LIMITS });
    await bench.add(600);
    for (const share of [50, 150, 250, 350, 450]) {
      await eventually(() => one.begun >= share, { withinMs: 20_000 });
      bench.proxy.dropReplies();
      await pause(20);
      endBlackHole();
    }
    const records = await bench.expectAllDoneOnce(600, [one]);
    expect(records.filter(({ attempts }) => attempts !== 1)).toEqual([]);
  });

  test('of an enqueue: repeated by the library or by the caller, it is one job', async () => {
    const { driver } = bench.worker({ jobs: {}, loop: { concurrency: 1 }, limits: LIMITS });
    await driver.pause();
    bench.proxy.dropReplies();
    const calls = ['mine', undefined].map((id) =>
      driver.enqueue({ ...(id && { id }), type: 'work', payload: 1 }),
    );
    await bench.untilStats({ pending: 2 });
    endBlackHole();
    const [own, made] = await Promise.all(calls);
    expect(own).toEqual({ id: 'mine', created: false });
    expect(made).toMatchObject({ created: true });
    expect(await driver.enqueue({ id: 'mine', type: 'work', payload: 1 })).toEqual(own);
    expect(await driver.stats()).toMatchObject({ pending: 2 });
  });

  test('of an enqueue, for good: the error says that the outcome is open', async () => {
    const { driver } = bench.worker({ limits: { ...LIMITS, commandTimeoutMs: 60_000 } });
    await driver.pause();
    bench.proxy.dropReplies();
    const call = driver.enqueue({ id: 'mine', type: 'work', payload: 1 });
    const refused = expect(call).rejects.toMatchObject({
      code: 'REPLY_LOST',
      outcomeAmbiguous: true,
    });
    await bench.untilStats({ pending: 1 });
    bench.proxy.refuse();
    await refused;
    bench.proxy.resume();
    const again = () => driver.enqueue({ id: 'mine', type: 'work', payload: 1 });
    const repeated = await eventually(again); // the link may pause before it connects again
    expect(repeated).toEqual({ id: 'mine', created: false });
    expect(await bench.driver.stats()).toMatchObject({ pending: 1 });
  });
});
