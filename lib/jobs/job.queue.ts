import { checkKeys } from '../errors/index.js';
import type { EnqueueResult, Job, JobPage, JobStats, ListOptions, NewJob } from './job.js';
import type { JobDriver } from './jobs.driver.js';
import { NEW_JOB_FIELDS } from './new-job.js';

/** The job types of a map such as `{ welcome: { userId: string } }`. */
export type JobTypeOf<Jobs> = keyof Jobs & string;

/** What `add` and `enqueue` take beside type and payload: priority, delay, id, coalescing key … */
export type JobOptions = Omit<NewJob, 'type' | 'payload'>;

const JOB_OPTION_NAMES = NEW_JOB_FIELDS.filter((field) => field !== 'type' && field !== 'payload');

/** A job whose payload belongs to its type, for `addMany` and `enqueueMany`. */
export type NewJobOf<Jobs> = {
  readonly [Type in JobTypeOf<Jobs>]: NewJob<Jobs[Type]> & { readonly type: Type };
}[JobTypeOf<Jobs>];

/** A delivered job whose payload belongs to its type. */
export type JobOf<Jobs, Type extends JobTypeOf<Jobs> = JobTypeOf<Jobs>> = {
  readonly [Name in Type]: Job<Jobs[Name]> & { readonly type: Name };
}[Type];

/** What a queue definition of the jobs engine is typed by. */
export interface JobsTyping<Jobs> {
  /** What handlers receive, by the name given to `@Process`. */
  readonly messages: { readonly [Type in JobTypeOf<Jobs>]: JobOf<Jobs, Type> };
  /** What `@InjectQueue` injects. */
  readonly handle: JobQueue<Jobs>;
}

/**
 * One jobs queue, typed by its map of payloads: what `@InjectQueue(definition)` injects.
 *
 * A thin layer over `JobDriver`, which has the verbs of a worker too.
 */
export class JobQueue<Jobs = Record<string, unknown>> {
  constructor(
    /** The queue's name. */
    readonly name: string,
    private readonly driver: JobDriver,
  ) {}

  /**
   * Puts a job into the queue.
   *
   * @throws InvalidOptionError, PayloadError before anything is written; OperationalError when
   * Redis did not answer well. Safe to repeat with the same `id`.
   */
  async add<Type extends JobTypeOf<Jobs>>(
    type: Type,
    payload: Jobs[Type],
    options: JobOptions = {},
  ): Promise<EnqueueResult> {
    checkKeys('options', options, JOB_OPTION_NAMES);
    return this.driver.enqueue({ ...options, type, payload });
  }

  /** Puts many jobs into the queue, in few round trips; the results come in the same order. */
  addMany(jobs: readonly NewJobOf<Jobs>[]): Promise<readonly EnqueueResult[]> {
    return this.driver.enqueueMany(jobs);
  }

  /** Everything known about a job; `null` when there is none of that id. */
  get(id: string): ReturnType<JobDriver['get']> {
    return this.driver.get(id);
  }

  /**
   * Cancels a job that waits, is scheduled or runs; the signal of a running handler aborts.
   *
   * @throws JobNotFoundError, JobStateError when it has ended already.
   */
  cancel(id: string): ReturnType<JobDriver['cancel']> {
    return this.driver.cancel(id);
  }

  /**
   * Makes a failed job deliverable now; its attempts are kept, one more run is granted.
   *
   * @throws JobNotFoundError, JobStateError when it has not failed.
   */
  retry(id: string): ReturnType<JobDriver['retry']> {
    return this.driver.retry(id);
  }

  /** Deletes a failed job for good; `false` when there is no failed job of that id. */
  drop(id: string): ReturnType<JobDriver['drop']> {
    return this.driver.drop(id);
  }

  /** Jobs by state and type, a page at a time. */
  list(options: ListOptions = {}): Promise<JobPage> {
    return this.driver.list(options);
  }

  /** How many jobs are in each state. */
  stats(): Promise<JobStats> {
    return this.driver.stats();
  }

  /** Stops deliveries everywhere until `resume`; what runs goes on, and adding is still possible. */
  pause(): ReturnType<JobDriver['pause']> {
    return this.driver.pause();
  }

  /** Ends a `pause`. */
  resume(): ReturnType<JobDriver['resume']> {
    return this.driver.resume();
  }
}
