import type { JobRecord, JobStatus, QueueOf } from 'nest-redis-queue';
import type { FileFacts } from './file-facts.js';
import type { ingest, IngestJobs } from './ingest.queue.js';

/** What became of the jobs of one type. */
export interface TypeTally {
  done: number;
  failed: number;
  /** How many ended at their first attempt; the waits below are theirs. */
  timed: number;
  /** From being enqueued to being claimed, in milliseconds of the Redis clock. */
  waitedMs: number;
  longestWaitMs: number;
}

/** What became of the whole run, as Redis tells it. */
export interface Tally {
  readonly types: Map<string, TypeTally>;
  readonly kinds: Map<string, number>;
  bytes: number;
}

/** Reads every ended job once, a page at a time, and counts. */
export async function tallyOf(queue: QueueOf<typeof ingest>): Promise<Tally> {
  const tally: Tally = { types: new Map(), kinds: new Map(), bytes: 0 };
  for (const status of ['done', 'failed'] as const) {
    for await (const job of jobsOf(queue, status)) add(tally, job);
  }
  return tally;
}

/** Walks a list by its cursor, which stays right while the list grows. */
async function* jobsOf(
  queue: QueueOf<typeof ingest>,
  status: JobStatus,
): AsyncGenerator<JobRecord> {
  let cursor: string | undefined;
  do {
    const page = await queue.list({ status, limit: 500, cursor });
    yield* page.jobs;
    cursor = page.next ?? undefined;
  } while (cursor !== undefined);
}

function add(tally: Tally, job: JobRecord): void {
  const type = tallyOfType(tally, job.type);
  if (job.status === 'done') type.done++;
  else type.failed++;
  if (job.attempts === 1 && job.startedAt !== null) addWait(type, job.startedAt - job.enqueuedAt);
  if (job.status === 'done' && job.type === ('file' satisfies keyof IngestJobs)) {
    addFile(tally, job.result as FileFacts);
  }
}

function tallyOfType({ types }: Tally, type: string): TypeTally {
  const known = types.get(type);
  if (known) return known;
  const fresh = { done: 0, failed: 0, timed: 0, waitedMs: 0, longestWaitMs: 0 };
  types.set(type, fresh);
  return fresh;
}

function addWait(type: TypeTally, waitMs: number): void {
  type.timed++;
  type.waitedMs += waitMs;
  type.longestWaitMs = Math.max(type.longestWaitMs, waitMs);
}

function addFile(tally: Tally, { bytes, kind }: FileFacts): void {
  tally.bytes += bytes;
  tally.kinds.set(kind, (tally.kinds.get(kind) ?? 0) + 1);
}
