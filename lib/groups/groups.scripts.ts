import {
  asInteger,
  asList,
  asText,
  asTextOrNull,
  bytes,
  defineScript,
  flag,
  integer,
  list,
  text,
} from '../redis/index.js';
import { readLetters, readTaken, type GroupLease, type LetterRow } from './group.replies.js';

export const publishScript = defineScript({
  name: 'groups/publish',
  args: { newGroupsFirst: flag, messages: list(bytes) },
  /** A code per message, 1 in and 0 refused; 1 alone when all are in. */
  reply: (raw) => (Array.isArray(raw) ? raw.map(asInteger) : 1),
});

/** What a settle call brought back. */
export interface SettleReply {
  /** Per settled message: 1 settled, 2 settled and the rest of its lease lost, 0 lease lost. */
  readonly codes: readonly number[];
  readonly leases: readonly GroupLease[];
  /** Milliseconds until the next group is due, -1 when none is known; 0 when some were claimed. */
  readonly nextInMs: number;
}

export const settleScript = defineScript({
  name: 'groups/settle',
  args: {
    acks: integer,
    others: integer,
    holder: text,
    seat: integer,
    call: integer,
    limit: integer,
    leaseMs: integer,
    batch: integer,
    attempts: integer,
    passes: text,
    keepDead: integer,
    keepDeadMs: integer,
    exact: flag,
    outcomes: list(text),
  },
  reply: (raw): SettleReply => {
    const [codes, fence, taken, nextInMs, fences] = asList(raw);
    return {
      codes: asList(codes) as number[],
      leases: readTaken(
        Number(asText(fence)),
        asList(taken),
        fences === undefined ? [] : asList(fences),
      ),
      nextInMs: asInteger(nextInMs),
    };
  },
  idempotent: true,
});

export const extendScript = defineScript({
  name: 'groups/extend',
  args: { leaseMs: integer, claims: list(text) },
  reply: (raw) => asList(raw) as readonly number[],
  idempotent: true,
});

export const peekScript = defineScript({
  name: 'groups/peek',
  args: { group: text, offset: integer, limit: integer },
  reply: (raw) => {
    const [tier, attempts, frames] = asList(raw);
    return {
      tier: asTextOrNull(tier),
      attempts: asInteger(attempts),
      frames: asList(frames) as readonly Buffer[],
    };
  },
  idempotent: true,
});

export const inspectScript = defineScript({
  name: 'groups/inspect',
  args: { group: text },
  reply: (raw) => {
    const [tier, depth, attempts, leased, parked, paused, dueInMs] = asList(raw);
    return {
      tier: asTextOrNull(tier),
      depth: asInteger(depth),
      attempts: asInteger(attempts),
      leased: asInteger(leased),
      parked: asInteger(parked) === 1,
      paused: asInteger(paused) === 1,
      dueInMs: asInteger(dueInMs),
    };
  },
  idempotent: true,
});

export const statsScript = defineScript({
  name: 'groups/stats',
  args: {},
  reply: (raw) => {
    const [tiers, ...numbers] = asList(raw);
    const [backlog, ready, leased, parked, pausedGroups, dead, oldestWaitingMs, paused] =
      numbers.map(asInteger);
    return {
      groups: asList(tiers).map(asInteger),
      ...{ backlog, ready, leased, parked, pausedGroups, dead, oldestWaitingMs },
      paused: paused === 1,
    };
  },
  idempotent: true,
});

export const pauseScript = defineScript({
  name: 'groups/pause',
  args: { group: text, on: flag },
  reply: asInteger,
  idempotent: true,
});

export const limitScript = defineScript({
  name: 'groups/limit',
  args: { group: text, max: integer, durationMs: integer },
  reply: asInteger,
  idempotent: true,
});

export const unparkScript = defineScript({
  name: 'groups/unpark',
  args: { cursor: text, page: integer },
  /** The next cursor, '0' at the end. */
  reply: asText,
  idempotent: true,
});

export const removeScript = defineScript({
  name: 'groups/remove',
  args: { group: text, id: text, skip: integer, page: integer },
  /** -1 not there, -2 removed, else how many entries to skip next. */
  reply: asInteger,
});

export const purgeScript = defineScript({
  name: 'groups/purge',
  args: { group: text },
  reply: asInteger,
});

export const lettersScript = defineScript({
  name: 'groups/letters',
  args: { offset: integer, limit: integer },
  reply: (raw): { readonly total: number; readonly rows: readonly LetterRow[] } => {
    const [total, rows] = asList(raw);
    return { total: asInteger(total), rows: readLetters(asList(rows)) };
  },
  idempotent: true,
});

export const redriveScript = defineScript({
  name: 'groups/redrive',
  args: { id: text, newGroupsFirst: flag },
  reply: (raw) => asInteger(raw) === 1,
});

export const dropScript = defineScript({
  name: 'groups/drop',
  args: { id: text },
  reply: (raw) => asInteger(raw) === 1,
});

export const auditScript = defineScript({
  name: 'groups/audit',
  args: { part: text, tier: text, cursor: text, repair: flag },
  reply: (raw) => {
    const [cursor, messages, findings] = asList(raw);
    return {
      cursor: asText(cursor),
      messages: asInteger(messages),
      findings: asList(findings).map(asText),
    };
  },
});
