import { setTimeout as pause } from 'node:timers/promises';
import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { InjectQueue, type QueueOf } from 'nest-redis-queue';
import { FolderIndexer, type IndexReport } from './folder.indexer.js';
import { count } from './format.js';
import { ingest, PRIORITY } from './ingest.queue.js';
import { barOf, hasWork, leftOf, progressOf, stoppedOf } from './progress.js';
import { Screen } from './screen.js';
import { Settings } from './settings.js';
import { balanceOf, failuresOf, summaryOf, waitsOf } from './summary.js';
import { tallyOf } from './tally.js';
import { Uploads } from './uploads.js';

/** How often the progress is looked at, in milliseconds. */
const LOOK_EVERY_MS = 100;

/** How long after its request the report is made, in milliseconds. */
const REPORT_AFTER_MS = 1_000;

/** How many of the failed jobs the summary names. */
const FAILURES_SHOWN = 10;

/** One run from the first job to the summary. Its state is in Redis, so it can be stopped at will. */
@Injectable()
export class IngestRun implements BeforeApplicationShutdown {
  private readonly stopper = new AbortController();
  private isAllIn = false;

  constructor(
    private readonly settings: Settings,
    private readonly indexer: FolderIndexer,
    private readonly uploads: Uploads,
    private readonly screen: Screen,
    @InjectQueue(ingest) private readonly queue: QueueOf<typeof ingest>,
  ) {}

  get isStopped(): boolean {
    return this.stopper.signal.aborted;
  }

  /** Puts no more jobs in; the module drains those that run. */
  stop(): void {
    this.stopper.abort();
  }

  /**
   * Puts all jobs in while the processor works on them, and waits for the last one to end.
   *
   * Answers whether every file that was found has ended; `undefined` when it was stopped.
   */
  async toEnd(): Promise<boolean | undefined> {
    const { signal } = this.stopper;
    try {
      await this.begin();
      const [{ found }] = await Promise.all([this.produce(signal), this.watch(signal)]);
      return await this.sumUp(found);
    } catch (error) {
      if (signal.aborted) return undefined;
      throw error;
    } finally {
      this.screen.endProgress();
    }
  }

  /** Runs after the drain and before the connections close; `signal` is set by a Ctrl-C. */
  async beforeApplicationShutdown(signal?: string): Promise<void> {
    if (signal === undefined) return;
    this.screen.endProgress();
    try {
      this.screen.say(stoppedOf(await this.queue.stats()));
    } catch (error) {
      this.screen.error((error as Error).message);
    }
  }

  private async begin(): Promise<void> {
    const { folder, concurrency } = this.settings;
    const stats = await this.queue.stats();
    this.screen.say(`taking in ${folder}, ${concurrency} files at once`);
    if (!hasWork(stats)) return;
    const ended = stats.done + stats.failed;
    this.screen.say(
      `going on: ${count(ended)} jobs ended before, ${count(leftOf(stats))} are left`,
    );
  }

  private async produce(signal: AbortSignal): Promise<IndexReport> {
    await this.uploads.announce();
    await this.askForReport();
    const report = await this.indexer.index(signal);
    this.screen.say(`${count(report.found)} files found, ${count(report.created)} of them new`);
    await this.askForRescans();
    this.isAllIn = true;
    return report;
  }

  private async askForReport(): Promise<void> {
    const options = { delayMs: REPORT_AFTER_MS, priority: PRIORITY.someoneWaits };
    await this.queue.add('report', { afterMs: REPORT_AFTER_MS }, options);
  }

  /** One re-scan answers all who ask while it waits. */
  private async askForRescans(): Promise<void> {
    const options = { coalesceBy: 'rescan', priority: PRIORITY.whenIdle };
    const asked = ['a timer', 'a person', 'another person'].map((askedBy) =>
      this.queue.add('rescan', { askedBy }, options),
    );
    const absorbed = (await Promise.all(asked)).filter(({ absorbedBy }) => absorbedBy).length;
    this.screen.say(
      `re-scan asked for ${asked.length} times, ${absorbed} absorbed by one that waits`,
    );
  }

  /** Shows the progress until nothing is left to do. */
  private async watch(signal: AbortSignal): Promise<void> {
    for (;;) {
      const wasAllIn = this.isAllIn;
      const stats = await this.queue.stats();
      if (hasWork(stats)) this.screen.progress(barOf(stats), progressOf(stats));
      const hasMended = await this.uploads.mendLateOne();
      if (wasAllIn && leftOf(stats) === 0 && !hasMended) return;
      await pause(LOOK_EVERY_MS, undefined, { signal });
    }
  }

  private async sumUp(found: number): Promise<boolean> {
    const tally = await tallyOf(this.queue);
    const failed = await this.queue.list({ status: 'failed', limit: FAILURES_SHOWN });
    this.screen.endProgress();
    this.screen.say(summaryOf(tally));
    this.screen.say(failuresOf(failed));
    const { line, addsUp } = balanceOf(tally, found);
    this.screen.say(waitsOf(tally) + line);
    return addsUp;
  }
}
