import {
  JobNotFoundError,
  JobStateError,
  checkBoolean,
  checkList,
  checkRecord,
} from '../errors/index.js';
import { KeySpace, checkName } from '../redis/index.js';
import { auditQueue, type AuditFinding } from './audit.js';
import { JobClaims } from './job-claims.js';
import { EnqueueGatherer } from './enqueue-gatherer.js';
import type {
  ClaimedJob,
  DequeueOptions,
  EnqueueResult,
  FailOptions,
  JobHandle,
  JobPage,
  JobRecord,
  JobStats,
  ListOptions,
  NewJob,
} from './job.js';
import { readRecord } from './job-record.js';
import { statusOf } from './job.replies.js';
import { listJobs } from './job-pages.js';
import { JobUpkeep } from './job-upkeep.js';
import { openCore, type JobsCore } from './jobs.core.js';
import type { JobDriverOptions } from './jobs.options.js';
import {
  cancelScript,
  configureScript,
  dropScript,
  getScript,
  retryScript,
  statsScript,
} from './jobs.scripts.js';
import { encodeJob } from './new-job.js';
import { recoverOrphans } from './recovery.js';

/**
 * The jobs engine of one queue: jobs by priority, then by arrival, with delays, retries,
 * coalescing, cancellation, lists and counters, and recovery from dead holders.
 *
 * Injectable in a Nest application (bound to the queue `default`; `queue(name)` gives another
 * one), and usable without Nest: constructing it then starts the Promoter of its queue.
 * At-least-once: a job may run again after a crash, and its `fence` tells the runs apart.
 */
export class JobDriver {
  /** The queue's name. */
  readonly name: string;
  private readonly core: JobsCore;
  private readonly space: KeySpace;
  private readonly enqueues: EnqueueGatherer;
  private readonly claims: JobClaims;

  /**
   * @param core shared by the drivers that `queue()` makes; left out by applications.
   * @param siblings those drivers, by name; left out by applications.
   * @throws InvalidOptionError naming the option; nothing is opened before the first call.
   */
  constructor(
    options: JobDriverOptions,
    core?: JobsCore,
    private readonly siblings = new Map<string, JobDriver>(),
  ) {
    const { queue = 'default' }: JobDriverOptions = checkRecord('options', options);
    const name = checkName('queue', queue);
    this.core = core ?? openCore(options);
    this.name = name;
    siblings.set(name, this);
    this.space = new KeySpace(this.core.prefix, 'jobs', name);
    this.enqueues = new EnqueueGatherer(this.core.connection, this.space);
    this.claims = new JobClaims(this.core, this.space, name);
    this.core.promoter?.add(new JobUpkeep(this.core, this.space, { queue: name }));
  }

  /** The driver of another queue, over the same connection and with the same options; one a name. */
  queue(name: string): JobDriver {
    checkName('queue', name); // an undefined one must not mean the default queue
    const core = { ...this.core, ownsConnection: false };
    return this.siblings.get(name) ?? new JobDriver({ queue: name }, core, this.siblings);
  }

  /**
   * Takes in one job, in one round trip; calls of one tick share it.
   *
   * Safe to repeat with the same `id`: a job that exists is left as it is. A coalesced job is
   * an answer (`absorbedBy`) and not an error.
   *
   * @throws InvalidOptionError, PayloadError before anything is sent; OperationalError with
   * `outcomeAmbiguous` when the reply was lost.
   */
  async enqueue(job: NewJob): Promise<EnqueueResult> {
    return this.enqueues.add(encodeJob(job, this.core.settings));
  }

  /**
   * Takes in many jobs, up to 500 a round trip; all are checked before the first is sent.
   *
   * @throws PartialFailureError with `results` when some were taken in and some were not.
   */
  async enqueueMany(jobs: readonly NewJob[]): Promise<EnqueueResult[]> {
    const encoded = checkList('jobs', jobs).map((job) => encodeJob(job, this.core.settings));
    return this.enqueues.addMany(encoded);
  }

  /**
   * Claims up to `limit` jobs, highest priority first, then in order of arrival; waits for one
   * up to `waitMs`. Each counts as an attempt and stays under lease for `leaseMs`.
   */
  dequeue<Payload = unknown>(options: DequeueOptions = {}): Promise<ClaimedJob<Payload>[]> {
    return this.claims.dequeue(options) as Promise<ClaimedJob<Payload>[]>;
  }

  /**
   * Ends a job well and stores `result`; repeated with the same token it succeeds again.
   *
   * @throws LeaseLostError when the job is not running under this token; nothing was changed.
   */
  ack(job: JobHandle, result?: unknown): Promise<void> {
    return this.claims.ack(job, result);
  }

  /**
   * Records a failed run: a retry after `retryInMs` (default 30,000), or with `retry: false`
   * the end in `failed`. The driver does not look at `maxAttempts`; the processor layer does.
   *
   * @throws LeaseLostError when the job is not running under this token; nothing was changed.
   */
  fail(job: JobHandle, error: Error | string, options: FailOptions = {}): Promise<void> {
    return this.claims.fail(job, error, options);
  }

  /**
   * Gives a job back, by default at once, without spending the attempt.
   *
   * @throws LeaseLostError when the job is not running under this token; nothing was changed.
   */
  release(job: JobHandle, options: { readonly delayMs?: number } = {}): Promise<void> {
    return this.claims.release(job, options);
  }

  /** Prolongs leases by `leaseMs` from now and tells, per job, whether its holder still holds it. */
  extend(
    jobs: readonly JobHandle[],
    options: { readonly leaseMs?: number } = {},
  ): Promise<('extended' | 'lost' | 'cancelled')[]> {
    return this.claims.extend(jobs, options);
  }

  /**
   * Cancels a job that waits or runs. A running one is cancelled at once, its late result is
   * refused, and its handler's signal aborts within a second, wherever it runs.
   *
   * @throws JobNotFoundError; JobStateError when it is done, failed or cancelled already.
   */
  async cancel(id: string): Promise<void> {
    const { count, ageMs } = this.core.settings.keepCancelled;
    const reply = await cancelScript.run(this.core.connection, this.space, {
      id: checkName('id', id),
      keepCancelled: count,
      keepCancelledMs: ageMs,
    });
    expectOk(id, reply, 'pending, scheduled or running');
  }

  /**
   * Puts a failed job back to pending at its own place, with at least one more run.
   *
   * @throws JobNotFoundError; JobStateError when it is not failed.
   */
  async retry(id: string): Promise<void> {
    const reply = await retryScript.run(this.core.connection, this.space, {
      id: checkName('id', id),
    });
    expectOk(id, reply, 'failed');
  }

  /** Deletes a failed job for good; `false` when there is no failed job of that id. */
  async drop(id: string): Promise<boolean> {
    return dropScript.run(this.core.connection, this.space, { id: checkName('id', id) });
  }

  /** Everything known about a job; `null` when there is none of that id (any more). */
  async get<Payload = unknown>(id: string): Promise<JobRecord<Payload> | null> {
    const shown = await getScript.run(this.core.connection, this.space, {
      id: checkName('id', id),
    });
    return shown && (readRecord(shown, this.core.settings.codec) as JobRecord<Payload>);
  }

  /**
   * A page of jobs: pending and scheduled ones in claim order, the others newest first.
   *
   * @throws InvalidOptionError for an unknown status, a limit or an offset out of range.
   */
  list<Payload = unknown>(options: ListOptions = {}): Promise<JobPage<Payload>> {
    return listJobs(this.core, this.space, options) as Promise<JobPage<Payload>>;
  }

  /** The queue's counters. */
  async stats(): Promise<JobStats> {
    const { counts, ...rest } = await statsScript.run(this.core.connection, this.space, {});
    return { ...counts, ...rest };
  }

  /** Claims take nothing from here on, anywhere; what runs goes on. */
  async pause(): Promise<void> {
    await this.configure('paused', true);
  }

  /** Ends a pause and wakes the waiting loops. */
  async resume(): Promise<void> {
    await this.configure('paused', false);
  }

  /**
   * Switches the queue's event stream `<base>:events` (fields `event` and `id`, about the last
   * 10,000) on or off for every process; it is off at first.
   */
  async recordEvents(on: boolean): Promise<void> {
    await this.configure('events', checkBoolean('on', on));
  }

  private async configure(name: 'paused' | 'events', on: boolean): Promise<void> {
    await configureScript.run(this.core.connection, this.space, { switch: name, on });
  }

  /**
   * Puts jobs whose holder is gone back to their place and answers how many. Without an option:
   * those whose lease is over, as upkeep does by itself. With `olderThanMs` (0: all): those that
   * started that long ago, lease or not; their holders' tokens are void from then on.
   * A job without an attempt left, or recovered too often, is failed instead.
   */
  recoverOrphans(options: { readonly olderThanMs?: number } = {}): Promise<number> {
    return recoverOrphans(this.core, this.space, options);
  }

  /**
   * Walks the queue in bounded steps and reports every broken invariant: a job in no place or in
   * two, an entry without a job, a coalescing key without a waiting job. Jobs that move while it
   * walks may show once; run it again to be sure. With `repair` it mends what it finds.
   */
  audit(options: { readonly repair?: boolean } = {}): Promise<AuditFinding[]> {
    return auditQueue(this.core, this.space, options);
  }

  /**
   * Stops the Promoter, waits for its run in progress, and closes what this driver opened; a
   * client that was handed over stays open. Safe to call twice. A driver made by `queue()` or
   * injected by Nest opened nothing, so nothing is closed.
   */
  async close(): Promise<void> {
    if (!this.core.ownsConnection) return;
    await this.core.promoter?.stop();
    await this.core.connection.close();
  }
}

function expectOk(id: string, reply: string, wanted: string): void {
  if (reply === 'ok') return;
  if (reply === 'missing') throw new JobNotFoundError(id);
  throw new JobStateError(id, statusOf(reply), wanted);
}
