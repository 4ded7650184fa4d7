import type { UpkeepTask } from '../contract/index.js';
import { checkDuration } from '../errors/index.js';
import {
  DEFAULT_EVERY_MS,
  PeriodicTask,
  type PeriodicTaskOptions,
  type UpkeepHealth,
} from './periodic-task.js';

/** Runs the upkeep of all the queues that a process works on: promote, recover, trim. */
export class Promoter {
  private readonly tasks = new Map<UpkeepTask, PeriodicTask>();
  private isStarted = false;

  /** @throws InvalidOptionError naming `everyMs` */
  constructor(private readonly options: PeriodicTaskOptions) {
    checkDuration('everyMs', options.everyMs ?? DEFAULT_EVERY_MS);
  }

  /**
   * Takes a task on; it runs at once when the promoter has started. A task that is there already
   * is not taken twice.
   *
   * @param everyMs the pause of this task alone, in milliseconds; by default the promoter's
   * @throws InvalidOptionError naming `everyMs`
   */
  add(task: UpkeepTask, everyMs = task.everyMs ?? this.options.everyMs): void {
    if (this.tasks.has(task)) return;
    const periodic = new PeriodicTask(task, { ...this.options, everyMs });
    this.tasks.set(task, periodic);
    if (this.isStarted) periodic.start();
  }

  /** Lets a task go; resolves when its run in progress, if any, has ended. */
  async remove(task: UpkeepTask): Promise<void> {
    const periodic = this.tasks.get(task);
    this.tasks.delete(task);
    await periodic?.stop();
  }

  /** Starts every task, and each that is added later. */
  start(): void {
    this.isStarted = true;
    for (const periodic of this.tasks.values()) periodic.start();
  }

  /** Stops every task; resolves when the runs in progress have ended. May start again. */
  async stop(): Promise<void> {
    this.isStarted = false;
    await Promise.all([...this.tasks.values()].map((periodic) => periodic.stop()));
  }

  /** Runs every task once, now. Rejects with the first failure, after all have ended. */
  async run(): Promise<void> {
    const runs = [...this.tasks.values()].map((periodic) => periodic.run());
    await Promise.allSettled(runs);
    await Promise.all(runs);
  }

  /** One entry a task, in the order in which they were added. */
  health(): readonly UpkeepHealth[] {
    return [...this.tasks.values()].map((periodic) => periodic.health());
  }
}
