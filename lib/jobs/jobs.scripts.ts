import {
  asInteger,
  asList,
  asText,
  bytes,
  defineScript,
  flag,
  integer,
  list,
  text,
} from '../redis/index.js';
import { readClaimed, readShown, type ClaimedEntry, type ShownJob } from './job.replies.js';

/** Reply per job of an enqueue: 1 new, 0 its id exists, -1 too many types, or the absorbing job's id. */
export type EnqueueReply = number | string;

export const enqueueScript = defineScript({
  name: 'jobs/enqueue',
  args: { lookUpEach: flag, maxTypes: integer, jobs: list(bytes) },
  reply: (raw): readonly EnqueueReply[] | 1 =>
    Array.isArray(raw) ? raw.map((one) => (typeof one === 'number' ? one : asText(one))) : 1,
  idempotent: true,
});

/** What a settle call brought back. */
export interface SettleReply {
  /** Per settled job: 1 settled, 0 lease lost, -1 cancelled. */
  readonly codes: readonly number[];
  readonly claimed: readonly ClaimedEntry[];
  /** Milliseconds until the next job is due; -1 when none is known; 0 when jobs were claimed. */
  readonly nextInMs: number;
}

export const settleScript = defineScript({
  name: 'jobs/settle',
  args: {
    done: integer,
    ended: integer,
    limit: integer,
    leaseMs: integer,
    attempts: integer,
    keepDone: integer,
    keepFailed: integer,
    keepFailedMs: integer,
    holder: text,
    seat: integer,
    call: integer,
    outcomesAndTypes: list(bytes),
  },
  reply: (raw): SettleReply => {
    const [codes, fence, taken, nextInMs] = asList(raw);
    return {
      codes: asList(codes) as number[],
      claimed: readClaimed(Number(asText(fence)), asList(taken)),
      nextInMs: asInteger(nextInMs),
    };
  },
  idempotent: true,
});

export const extendScript = defineScript({
  name: 'jobs/extend',
  args: { leaseMs: integer, claims: list(text) },
  reply: (raw) => asList(raw) as readonly number[],
  idempotent: true,
});

export const cancelScript = defineScript({
  name: 'jobs/cancel',
  args: { id: text, keepCancelled: integer, keepCancelledMs: integer },
  reply: asText,
});

export const retryScript = defineScript({
  name: 'jobs/retry',
  args: { id: text },
  reply: asText,
});

export const dropScript = defineScript({
  name: 'jobs/drop',
  args: { id: text },
  reply: (raw) => asInteger(raw) === 1,
});

export const getScript = defineScript({
  name: 'jobs/get',
  args: { id: text },
  reply: (raw): ShownJob | null => (raw === null ? null : readShown(asList(raw))),
  idempotent: true,
});

export const listScript = defineScript({
  name: 'jobs/list',
  args: {
    status: text,
    name: text,
    offset: integer,
    limit: integer,
    afterScore: text,
    afterMember: text,
    skip: integer,
    showAtMost: integer,
  },
  reply: (raw) => {
    const [total, shown, lastScore, lastMember, read, matched] = asList(raw);
    return {
      total: asInteger(total),
      jobs: asList(shown).map((one) => readShown(asList(one))),
      last: { score: asText(lastScore), member: asText(lastMember) },
      read: asInteger(read),
      matched: asInteger(matched),
    };
  },
  idempotent: true,
});

export const statsScript = defineScript({
  name: 'jobs/stats',
  args: {},
  reply: (raw) => {
    const [counts, done24h, oldestWaitingMs, paused] = asList(raw);
    const [pending, scheduled, running, failed, cancelled, done] = asList(counts) as number[];
    return {
      counts: { pending, scheduled, running, done, failed, cancelled },
      done24h: asInteger(done24h),
      oldestWaitingMs: asInteger(oldestWaitingMs),
      paused: asInteger(paused) === 1,
    };
  },
  idempotent: true,
});

export const configureScript = defineScript({
  name: 'jobs/configure',
  args: { switch: text, on: flag },
  reply: asInteger,
  idempotent: true,
});

export const recoverScript = defineScript({
  name: 'jobs/recover',
  args: {
    olderThanMs: text,
    skip: integer,
    limit: integer,
    maxRecoveries: integer,
    keepFailed: integer,
    keepFailedMs: integer,
    before: integer,
  },
  reply: (raw) => {
    const [count, nextSkip, before] = asList(raw);
    return {
      count: asInteger(count),
      nextSkip: asInteger(nextSkip),
      before: asInteger(before),
    };
  },
});

export const upkeepScript = defineScript({
  name: 'jobs/upkeep',
  args: {
    limit: integer,
    maxRecoveries: integer,
    seen: integer,
    keepDone: integer,
    keepDoneMs: integer,
    keepFailed: integer,
    keepFailedMs: integer,
    keepCancelled: integer,
    keepCancelledMs: integer,
  },
  reply: (raw) => {
    const [isFull, nextInMs, seen, voided] = asList(raw);
    return {
      isFull: asInteger(isFull) === 1,
      nextInMs: asInteger(nextInMs),
      seen: asInteger(seen),
      voided: asList(voided).map(asText),
    };
  },
});

export const auditScript = defineScript({
  name: 'jobs/audit',
  args: { part: text, index: text, cursor: text, repair: flag },
  reply: (raw) => {
    const [cursor, findings] = asList(raw);
    return { cursor: asText(cursor), findings: asList(findings).map(asText) };
  },
});
