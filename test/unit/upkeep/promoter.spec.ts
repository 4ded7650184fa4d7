import type { UpkeepTask } from '../../../lib/contract/index.js';
import { Promoter } from '../../../lib/upkeep/index.js';
import { caught } from '../../contract/caught.js';
import { RecordingLogger } from '../../contract/logs.js';
import { eventually } from '../../support/eventually.js';
import { signalled } from '../../contract/waiting.js';

describe('the promoter', () => {
  const logger = new RecordingLogger();
  let promoter: Promoter;

  beforeEach(() => (promoter = new Promoter({ everyMs: 5, logger })));
  afterEach(() => promoter.stop());

  function counter(name: string, fails = false) {
    const task = {
      name,
      runs: 0,
      run: () => {
        task.runs += 1;
        const report = { nextInMs: 1 };
        return fails ? Promise.reject(new Error(`${name} fails`)) : Promise.resolve(report);
      },
    };
    return task;
  }

  it('runs every task, those added later included', async () => {
    const [early, late] = [counter('early'), counter('late')];
    promoter.add(early);
    expect(early.runs).toBe(0);
    promoter.start();
    promoter.add(late);
    await eventually(() => early.runs > 3 && late.runs > 3);
  });

  it('runs no task after it was stopped, and may start again', async () => {
    const task = counter('task');
    promoter.add(task);
    promoter.start();
    await promoter.stop();
    const { runs } = task;
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(task.runs).toBe(runs);
    promoter.start();
    await eventually(() => task.runs > runs);
  });

  it('waits for the run in progress when it stops and when it lets a task go', async () => {
    for (const end of [() => promoter.stop(), (task: UpkeepTask) => promoter.remove(task)]) {
      const { promise, resolve } = signalled<{ nextInMs: number }>();
      const task = { name: 'slow', run: () => promise };
      promoter.add(task);
      promoter.start();
      let isOver = false;
      const ending = end(task).then(() => (isOver = true));
      await new Promise((done) => setImmediate(done));
      expect(isOver).toBe(false);
      resolve({ nextInMs: 1 });
      await ending;
      await promoter.remove(task);
    }
  });

  it('lets a task go while the others run on', async () => {
    const [gone, stays] = [counter('gone'), counter('stays')];
    promoter.add(gone);
    promoter.add(stays);
    promoter.start();
    await promoter.remove(gone);
    const [runs, others] = [gone.runs, stays.runs];
    await eventually(() => stays.runs > others + 3);
    expect(gone.runs).toBe(runs);
    await promoter.remove(gone);
  });

  it('takes a task once', async () => {
    const task = counter('task');
    promoter.add(task);
    promoter.add(task);
    await promoter.run();
    expect(task.runs).toBe(1);
    expect(promoter.health()).toMatchObject([{ name: 'task', lastError: null }]);
  });

  it('runs all tasks when it is told to, and hands on a failure after all have ended', async () => {
    const [bad, good] = [counter('bad', true), counter('good')];
    promoter.add(bad);
    promoter.add(good);
    await expect(promoter.run()).rejects.toThrow('bad fails');
    expect(good.runs).toBe(1);
    expect(promoter.health().map(({ lastError }) => lastError)).toEqual(['bad fails', null]);
  });

  it('refuses a pause that is none', () => {
    const refusals = [
      caught(() => new Promoter({ everyMs: 0, logger })),
      caught(() => promoter.add(counter('x'), 0.5)),
    ];
    expect(refusals.map((refusal) => refusal?.option)).toEqual(['everyMs', 'everyMs']);
  });
});
