import type { Message } from '../contract/index.js';

/** The states of a job, in the order in which `list()` walks them. */
export const JOB_STATUSES = [
  'pending',
  'scheduled',
  'running',
  'failed',
  'cancelled',
  'done',
] as const;

/** Where a job stands. */
export type JobStatus = (typeof JOB_STATUSES)[number];

/** A job as its handler sees it. */
export interface Job<Payload = unknown> extends Message<Payload> {
  /** The job's type; the same as `name`. */
  readonly type: string;
  /** As the producer gave it; higher runs first. */
  readonly priority: number;
}

/** A job claimed with `dequeue`: its holder settles it with `token`. */
export interface ClaimedJob<Payload = unknown> extends Job<Payload> {
  /** Names this claim; a settle with an older token changes nothing. */
  readonly token: string;
  /** Grows with every claim of the queue. */
  readonly fence: number;
  readonly leaseMs: number;
  /** Attempts allowed, as the producer said; `null` when it said nothing. */
  readonly maxAttempts: number | null;
  /** Set when the body does not decode; `payload` is then the raw text. */
  readonly unreadable: Error | null;
}

/** Everything the queue knows about a job. */
export interface JobRecord<Payload = unknown> {
  readonly id: string;
  readonly type: string;
  readonly status: JobStatus;
  /** The decoded payload; the raw text where `unreadable` says so. */
  readonly payload: Payload;
  /** Whether the stored body does not decode. */
  readonly unreadable: boolean;
  readonly headers: Readonly<Record<string, string>>;
  readonly priority: number;
  /** Runs so far, the present one and those that crashed included. */
  readonly attempts: number;
  readonly maxAttempts: number | null;
  /** How often a run ended without a word from its holder. */
  readonly recoveries: number;
  readonly lastError: string | null;
  /** What the handler returned; `undefined` before, or when it returned nothing. */
  readonly result: unknown;
  readonly coalesceBy: string | null;
  readonly enqueuedAt: number;
  readonly startedAt: number | null;
  readonly finishedAt: number | null;
  /** When a scheduled job becomes due; `null` in other states. */
  readonly notBefore: number | null;
  /** Fence of the last claim, 0 before the first. */
  readonly fence: number;
}

/** What `enqueue` takes. Unknown keys are refused. */
export interface NewJob<Payload = unknown> {
  readonly type: string;
  readonly payload: Payload;
  /**
   * Higher runs first, equal ones in order of arrival. Any whole number; beyond ±2048 it counts
   * as ±2048, and the record keeps the number as given.
   * @default 0
   */
  readonly priority?: number;
  /** Milliseconds from now before which the job does not run; excludes `notBefore`. */
  readonly delayMs?: number;
  /** Epoch milliseconds before which the job does not run (past: at once); excludes `delayMs`. */
  readonly notBefore?: number;
  /**
   * While an earlier job with this key waits (pending or scheduled), enqueue writes nothing and
   * names that job in `absorbedBy`. The key is free again once its job is claimed or cancelled.
   */
  readonly coalesceBy?: string;
  /**
   * The job's id; enqueuing one that exists writes nothing (`created: false`), so a call whose
   * reply was lost can be repeated.
   * @default an id made here, before the first send
   */
  readonly id?: string;
  /** Attempts in all; overrides the processor's `retry.attempts`. */
  readonly maxAttempts?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What became of an enqueue. */
export interface EnqueueResult {
  /** Id of the job that carries the work: the new one, the existing one, or the absorbing one. */
  readonly id: string;
  readonly created: boolean;
  /** The waiting job that holds the same `coalesceBy`; only there when it absorbed this one. */
  readonly absorbedBy?: string;
}

/** What a claim by hand asks for. */
export interface DequeueOptions {
  /** Job types wanted; without it any. */
  readonly types?: readonly string[];
  /** @default 1 */
  readonly limit?: number;
  /** @default the driver's leaseMs */
  readonly leaseMs?: number;
  /** How long to wait for a job when there is none; 0 does not wait. @default 5_000 */
  readonly waitMs?: number;
  /** Ends the wait with an empty answer. */
  readonly signal?: AbortSignal;
}

/** How a failed run goes on: a retry after `retryInMs` (default 30,000), or no retry. */
export type FailOptions =
  { readonly retryInMs?: number; readonly retry?: true } | { readonly retry: false };

/** Names a claim: what `dequeue` returned, or its id and token. */
export type JobHandle = Pick<ClaimedJob, 'id' | 'token'>;

/** Which jobs `list` shows. */
export interface ListOptions {
  /** Without it all states, in the order of `JOB_STATUSES`. */
  readonly status?: JobStatus;
  readonly type?: string;
  /** 1 to 500. @default 100 */
  readonly limit?: number;
  /** 0 to 10,000; beyond that go on by `cursor`. @default 0 */
  readonly offset?: number;
  /** Goes on behind an earlier page: its `next`. Excludes `offset`. */
  readonly cursor?: string;
}

/** One page of a list. */
export interface JobPage<Payload = unknown> {
  readonly jobs: readonly JobRecord<Payload>[];
  /** How many jobs match in all. */
  readonly total: number;
  /** Cursor of the page after this one; `null` at the end. */
  readonly next: string | null;
}

/** The counters of a queue: how many jobs stand where, and what the queue is doing. */
export interface JobStats {
  readonly pending: number;
  readonly scheduled: number;
  readonly running: number;
  readonly done: number;
  readonly failed: number;
  readonly cancelled: number;
  /** Jobs that ended well in the last 24 hours (1,440 whole minutes and the current one). */
  readonly done24h: number;
  /** Age of the oldest pending job among the first ten of each type and priority, in milliseconds. */
  readonly oldestWaitingMs: number;
  readonly paused: boolean;
}
