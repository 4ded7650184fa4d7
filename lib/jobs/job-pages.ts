import { InvalidOptionError, checkInteger, checkKeys, checkOneOf } from '../errors/index.js';
import { checkName, encodeName, type KeySpace } from '../redis/index.js';
import { readRecord } from './job-record.js';
import { letterOf, statusOf, type ShownJob } from './job.replies.js';
import { JOB_STATUSES, type JobPage, type JobStatus, type ListOptions } from './job.js';
import type { JobsCore } from './jobs.core.js';
import { MAX_BATCH } from './jobs.options.js';
import { listScript } from './jobs.scripts.js';

interface Cursor {
  readonly status: JobStatus;
  readonly score: string;
  readonly member: string;
}

interface Query {
  readonly statuses: readonly JobStatus[];
  /** Encoded; '' for all types. */
  readonly type: string;
  readonly limit: number;
  readonly offset: number;
  readonly cursor: Cursor | null;
}

type ReadPage = (
  status: JobStatus,
  window: {
    readonly offset: number;
    readonly limit: number;
    readonly after?: Cursor;
    /** Of what matches the type, how many are passed over and how many are shown at the most. */
    readonly matches?: { readonly skip: number; readonly showAtMost: number };
  },
) => ReturnType<typeof listScript.run>;

/** Pages over the statuses in their order, one call a status; see `JobDriver.list`. */
export async function listJobs(
  core: JobsCore,
  space: KeySpace,
  options: ListOptions,
): Promise<JobPage> {
  const query = checkQuery(options);
  const readPage: ReadPage = (status, { offset, limit, after, matches }) =>
    listScript.run(core.connection, space, {
      status: letterOf(status),
      name: query.type,
      offset,
      limit,
      afterScore: after?.score ?? '',
      afterMember: after?.member ?? '',
      skip: matches?.skip ?? 0,
      showAtMost: matches?.showAtMost ?? limit,
    });
  const { shown, total, next } = await walk(query, readPage);
  return { jobs: shown.map((one) => readRecord(one, core.settings.codec)), total, next };
}

interface Walk {
  readonly shown: ShownJob[];
  /** Entries passed, those whose record is gone among them. */
  read: number;
  total: number;
  next: string | null;
}

async function walk(query: Query, readPage: ReadPage): Promise<Walk> {
  const found: Walk = { shown: [], read: 0, total: 0, next: null };
  let skip = query.offset;
  let isBehindCursor = query.cursor === null;
  for (const status of query.statuses) {
    const startsHere = status === query.cursor?.status;
    const wanted = isBehindCursor || startsHere ? query.limit - found.read : 0;
    const page = await readStatus({ status, query, readPage, skip, wanted, startsHere });
    found.total += page.total;
    found.shown.push(...page.jobs);
    found.read += page.read;
    if (page.read > 0) found.next = encodeCursor({ status, ...page.last });
    skip = Math.max(0, skip - page.total);
    isBehindCursor ||= startsHere;
  }
  const passed = query.cursor === null ? query.offset : 0;
  const isLast = found.read < query.limit || passed + found.read >= found.total;
  if (isLast || query.type !== '') found.next = null;
  return found;
}

interface StatusRequest {
  readonly status: JobStatus;
  readonly query: Query;
  readonly readPage: ReadPage;
  readonly skip: number;
  readonly wanted: number;
  readonly startsHere: boolean;
}

async function readStatus(request: StatusRequest) {
  const { status, query, readPage, skip, wanted, startsHere } = request;
  if (query.type !== '' && status !== 'pending') return filterStatus(request);
  const after = startsHere && query.cursor !== null ? { after: query.cursor } : {};
  return readPage(status, { offset: skip, limit: wanted, ...after });
}

/** Only pending jobs are kept by type; of the others every page is looked through. */
async function filterStatus({ status, readPage, skip, wanted }: StatusRequest) {
  const jobs: ShownJob[] = [];
  let total = 0;
  let offset = 0;
  for (;;) {
    const showAtMost = wanted - jobs.length;
    const matches = { skip: Math.max(0, skip - total), showAtMost };
    const page = await readPage(status, { offset, limit: MAX_BATCH, matches });
    jobs.push(...page.jobs);
    total += page.matched;
    offset += MAX_BATCH;
    if (offset >= page.total) return { jobs, total, last: page.last, read: jobs.length };
  }
}

function checkQuery(options: ListOptions): Query {
  checkKeys('options', options, ['status', 'type', 'limit', 'offset', 'cursor']);
  const { status, type, limit = 100, offset = 0, cursor } = options;
  if (cursor !== undefined && (type !== undefined || options.offset !== undefined)) {
    throw new InvalidOptionError('cursor', 'goes with neither offset nor type');
  }
  return {
    statuses: status === undefined ? JOB_STATUSES : [checkOneOf('status', status, JOB_STATUSES)],
    type: type === undefined ? '' : encodeName(checkName('type', type)),
    limit: checkInteger('limit', limit, { min: 1, max: 500 }),
    offset: checkInteger('offset', offset, { min: 0, max: 10_000 }),
    cursor: cursor === undefined ? null : decodeCursor(cursor),
  };
}

function encodeCursor({ status, score, member }: Cursor): string {
  return `${letterOf(status)} ${score} ${member}`;
}

function decodeCursor(cursor: unknown): Cursor {
  const parts = typeof cursor === 'string' ? /^([psrfcd]) (\S+) (.*)$/s.exec(cursor) : null;
  if (parts === null || !Number.isFinite(Number(parts[2]))) {
    throw new InvalidOptionError('cursor', 'expected the `next` of an earlier page');
  }
  return { status: statusOf(parts[1]), score: parts[2], member: parts[3] };
}
