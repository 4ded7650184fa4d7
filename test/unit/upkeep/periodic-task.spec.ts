import { jest } from '@jest/globals';
import type { UpkeepReport } from '../../../lib/contract/index.js';
import { PeriodicTask } from '../../../lib/upkeep/index.js';
import { caught } from '../../contract/caught.js';
import { RecordingLogger } from '../../contract/logs.js';
import { signalled } from '../../contract/waiting.js';

describe('a periodic task', () => {
  let logger: RecordingLogger;
  let runs: number[];
  let answer: () => Promise<UpkeepReport>;
  let task: PeriodicTask;

  beforeEach(() => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate'] });
    logger = new RecordingLogger();
    runs = [];
    answer = () => Promise.resolve({ nextInMs: 1_500 });
    const run = () => {
      runs.push(performance.now());
      return answer();
    };
    task = new PeriodicTask({ name: 'jobs:emails', run }, { everyMs: 1_000, logger });
  });

  afterEach(async () => {
    await task.stop();
    jest.useRealTimers();
  });

  /** How long after its first run the second one came. */
  async function pauseAfter(nextInMs: number): Promise<number> {
    answer = () => Promise.resolve({ nextInMs });
    task.start();
    while (runs.length < 2) await jest.advanceTimersByTimeAsync(1);
    return Math.round(runs[1] - runs[0]);
  }

  it('runs sooner once something began that an idle queue did not know of', async () => {
    let begin: (withinMs: number) => void = () => {};
    answer = () => Promise.resolve({ nextInMs: Infinity });
    const run = () => (runs.push(performance.now()), answer());
    const onBusy = (listener: (withinMs: number) => void) => (begin = listener);
    task = new PeriodicTask({ name: 'jobs:emails', run, onBusy }, { everyMs: 1_000, logger });
    task.start();
    await jest.advanceTimersByTimeAsync(100);
    begin(500);
    await jest.advanceTimersByTimeAsync(501);
    expect(runs).toHaveLength(2);
  });

  it.each([
    ['at once', 0, 1],
    ['when it is due', 40, 40],
    ['in the usual time', 1_000, 1_000],
    ['in the usual time', 1_999, 1_000],
    ['in the usual time', NaN, 1_000],
    ['in the usual time', -5, 1],
    ['rarely', 2_000, 2_000],
    ['rarely', Infinity, 2_000],
  ])('runs %s again when the next work is %p ms away', async (_, nextInMs, pause) => {
    expect(await pauseAfter(nextInMs)).toBe(pause);
  });

  it('runs at once when it starts, and never twice at a time', async () => {
    const end = signalled<UpkeepReport>();
    answer = () => end.promise;
    task.start();
    task.start();
    const joined = [task.run(), task.run()];
    expect(runs).toHaveLength(1);
    end.resolve({ nextInMs: 7 });
    expect(await Promise.all(joined)).toEqual([{ nextInMs: 7 }, { nextInMs: 7 }]);
  });

  it('stops after the run in progress and runs no more', async () => {
    const end = signalled<UpkeepReport>();
    answer = () => end.promise;
    task.start();
    let isStopped = false;
    const stopping = task.stop().then(() => (isStopped = true));
    await jest.advanceTimersByTimeAsync(10);
    expect(isStopped).toBe(false);
    end.resolve({ nextInMs: 0 });
    await stopping;
    await jest.advanceTimersByTimeAsync(10_000);
    expect(runs).toHaveLength(1);
  });

  it('may start again', async () => {
    task.start();
    await task.stop();
    task.start();
    await jest.advanceTimersByTimeAsync(1);
    expect(runs).toHaveLength(2);
  });

  it('runs when it is told to, started or not, and hands on the failure', async () => {
    expect(await task.run()).toEqual({ nextInMs: 1_500 });
    answer = () => Promise.reject(new Error('down'));
    await expect(task.run()).rejects.toThrow('down');
    answer = () => {
      throw new Error('at once');
    };
    await expect(task.run()).rejects.toThrow('at once');
    answer = () => Promise.resolve({ nextInMs: 1 });
    expect(await task.run()).toEqual({ nextInMs: 1 });
  });

  it('backs off while it fails, with one line a change of state', async () => {
    answer = () => Promise.reject(new Error('down'));
    task.start();
    await jest.advanceTimersByTimeAsync(300_000);
    expect(runs.length).toBeGreaterThan(8);
    expect(runs.length).toBeLessThan(25);
    expect(logger.lines).toHaveLength(1);
    expect(task.health()).toMatchObject({ lastError: 'down', lastRunAt: null });
    answer = () => Promise.resolve({ nextInMs: 100 });
    await jest.advanceTimersByTimeAsync(31_000);
    expect(logger.lines.map(({ level }) => level)).toEqual(['error', 'log']);
    expect(task.health()).toMatchObject({ name: 'jobs:emails', lastError: null });
    expect(task.health().lastRunAt).toEqual(expect.any(Number));
  });

  it('keeps no process alive', async () => {
    jest.useRealTimers();
    const timers = () =>
      process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
    const before = timers();
    task.start();
    await task.run();
    await new Promise((resolve) => setImmediate(resolve));
    expect(timers()).toBe(before);
  });

  it('takes a pause that is longer than a timer can be', async () => {
    const run = () => Promise.resolve({ nextInMs: Infinity });
    const everyMs = 2 ** 33;
    const rare = new PeriodicTask({ name: 'rare', run }, { everyMs, logger });
    const spy = jest.spyOn(globalThis, 'setTimeout');
    rare.start();
    await jest.advanceTimersByTimeAsync(5);
    expect(spy.mock.calls.map(([, ms]) => ms)).toContain(2 ** 31 - 1);
    spy.mockRestore();
    await rare.stop();
  });

  it.each([0, -1, NaN, 1.5])('refuses everyMs %p', (everyMs) => {
    const make = () => new PeriodicTask({ name: 'x', run: answer }, { everyMs, logger });
    expect(caught(make)?.option).toBe('everyMs');
  });
});
