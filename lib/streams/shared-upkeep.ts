import type { HandlerLogger, UpkeepTask } from '../contract/index.js';
import { Promoter } from '../upkeep/index.js';

/** The upkeep that consumers used alone share: one task a queue while any of them reads it. */
export class SharedUpkeep {
  private readonly promoter: Promoter;
  private readonly tasks = new Map<string, { readonly task: UpkeepTask; users: number }>();

  constructor(logger: HandlerLogger) {
    this.promoter = new Promoter({ logger });
  }

  /** Keeps a queue up from here on. */
  join(task: UpkeepTask): void {
    const known = this.tasks.get(task.name);
    if (known) {
      known.users += 1;
      return;
    }
    this.tasks.set(task.name, { task, users: 1 });
    this.promoter.add(task);
    this.promoter.start();
  }

  /** Ends it with the last that joined; resolves when the run in progress has ended. */
  async leave(name: string): Promise<void> {
    const known = this.tasks.get(name);
    if (!known || --known.users > 0) return;
    this.tasks.delete(name);
    await this.promoter.remove(known.task);
  }
}
