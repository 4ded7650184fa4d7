import type { HandlerLogger, UpkeepReport, UpkeepTask } from '../contract/index.js';
import { checkDuration, MAX_TIMER_MS } from '../errors/index.js';

/** How a periodic task runs. */
export interface PeriodicTaskOptions {
  /** The pause between two runs while there is work, in milliseconds. @default 1_000 */
  readonly everyMs?: number;
  readonly logger: HandlerLogger;
}

/** What a probe wants to know about one task. */
export interface UpkeepHealth {
  readonly name: string;
  /** When a run last ended well, in epoch milliseconds of this host's clock; `null` before. */
  readonly lastRunAt: number | null;
  /** Why the last run failed; `null` when it did not. */
  readonly lastError: string | null;
}

/** After failures the pause grows up to this, unless `everyMs` is longer. */
const MAX_BACKOFF_MS = 30_000;

/** The pause between two runs where nothing says otherwise. */
export const DEFAULT_EVERY_MS = 1_000;

/** Runs one upkeep task again and again: sooner when work is due, rarely when nothing is known. */
export class PeriodicTask {
  private readonly everyMs: number;
  private readonly logger: HandlerLogger;
  private timer: NodeJS.Timeout | undefined;
  private isStarted = false;
  private stopper = new AbortController();
  private plannedAt = Infinity;
  private current: Promise<UpkeepReport> | undefined;
  private failures = 0;
  private lastRunAt: number | null = null;
  private lastError: string | null = null;

  /** @throws InvalidOptionError naming `everyMs` */
  constructor(
    readonly task: UpkeepTask,
    options: PeriodicTaskOptions,
  ) {
    this.everyMs = checkDuration('everyMs', options.everyMs ?? DEFAULT_EVERY_MS);
    this.logger = options.logger;
    task.onBusy?.((withinMs) => this.hurry(withinMs));
  }

  /** Runs at once and then on; does nothing when it has started already. */
  start(): void {
    if (this.isStarted) return;
    this.isStarted = true;
    this.stopper = new AbortController();
    void this.runAndPlan();
  }

  /** Plans no more runs; resolves when the run in progress, if any, has ended. */
  async stop(): Promise<void> {
    this.isStarted = false;
    clearTimeout(this.timer);
    this.stopper.abort();
    await this.current?.catch(() => undefined);
  }

  /** Runs once, now; a call during a run joins it. Rejects with what the task rejects with. */
  run(): Promise<UpkeepReport> {
    this.current ??= this.runOnce().finally(() => {
      this.current = undefined;
    });
    return this.current;
  }

  health(): UpkeepHealth {
    return { name: this.task.name, lastRunAt: this.lastRunAt, lastError: this.lastError };
  }

  private async runAndPlan(): Promise<void> {
    const pauseMs = await this.run().then(
      (report) => this.pauseAfter(report),
      () => this.pauseAfterFailure(),
    );
    if (!this.isStarted) return;
    this.plan(pauseMs);
  }

  private plan(pauseMs: number): void {
    clearTimeout(this.timer);
    const delayMs = Math.min(MAX_TIMER_MS, pauseMs);
    this.plannedAt = performance.now() + delayMs;
    this.timer = setTimeout(() => void this.runAndPlan(), delayMs).unref();
  }

  /** An idle queue is looked at rarely; once something runs here, the next look must not be late. */
  private hurry(withinMs: number): void {
    const isLate = this.plannedAt > performance.now() + withinMs;
    if (this.isStarted && this.current === undefined && isLate) this.plan(withinMs);
  }

  private async runOnce(): Promise<UpkeepReport> {
    try {
      const report = await this.task.run(this.stopper.signal);
      this.lastRunAt = Date.now();
      this.recovered();
      return report;
    } catch (error) {
      this.failed(error instanceof Error ? error.message : String(error));
      throw error;
    }
  }

  /** What is due before the next round gets a run of its own; an idle queue gets half as many. */
  private pauseAfter({ nextInMs }: UpkeepReport): number {
    if (nextInMs >= 2 * this.everyMs) return 2 * this.everyMs;
    return nextInMs <= this.everyMs ? Math.max(1, nextInMs) : this.everyMs;
  }

  private pauseAfterFailure(): number {
    const longest = Math.max(MAX_BACKOFF_MS, this.everyMs);
    const full = Math.min(longest, this.everyMs * 2 ** this.failures);
    return full * (1 - Math.random() / 4);
  }

  /** One line a change of state, not one a run. */
  private failed(reason: string): void {
    this.failures += 1;
    if (this.lastError === null)
      this.logger.error(`upkeep of ${this.task.name} fails, trying on: ${reason}`);
    this.lastError = reason;
  }

  private recovered(): void {
    if (this.lastError !== null) this.logger.log(`upkeep of ${this.task.name} works again`);
    this.failures = 0;
    this.lastError = null;
  }
}
