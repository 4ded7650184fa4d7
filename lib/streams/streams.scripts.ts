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
import { readNewEntries, readTakenEntries, type RawEntry } from './entry.js';
import { readLetters } from './letter.js';
import { readGroupRow } from './stream.stats.js';

/** What a settle call brought back. */
export interface SettleReply {
  /** Per settled entry: 1 settled, 0 lease lost, -2 the server refused to store what it brings. */
  readonly codes: readonly number[];
  /** Of the first entry of `taken`; those of the others, adopted and new, follow one another. */
  readonly firstFence: number;
  /** In a reply that was asked for again, what is held no more has no fields. */
  readonly taken: readonly RawEntry[];
  readonly fresh: readonly RawEntry[];
  /** Milliseconds until the next delayed message is due, -1 when none is known. */
  readonly nextInMs: number;
  /** Where taking over goes on; '' when the whole list was looked through. */
  readonly cursor: string;
  /** Own entries that have lapsed. */
  readonly own: readonly string[];
  /** Whether the group was gone and had to be made again. */
  readonly isHealed: boolean;
}

export const settleScript = defineScript({
  name: 'streams/settle',
  args: {
    group: text,
    consumer: text,
    acks: integer,
    ended: integer,
    adopted: integer,
    mine: integer,
    limit: integer,
    cursor: text,
    leaseMs: integer,
    maxDeliveries: integer,
    maxAttempts: integer,
    deadMaxLen: integer,
    holder: text,
    seat: integer,
    call: integer,
    outcomesAndMine: list(text),
  },
  reply: (raw): SettleReply => {
    const [codes, fence, taken, fresh, nextInMs, cursor, own, healed] = asList(raw);
    return {
      codes: asList(codes) as number[],
      firstFence: Number(asText(fence)),
      taken: readTakenEntries(taken),
      fresh: readNewEntries(fresh),
      nextInMs: asInteger(nextInMs),
      cursor: asText(cursor),
      own: asList(own).map(asText),
      isHealed: asInteger(healed) === 1,
    };
  },
  idempotent: true,
});

export const extendScript = defineScript({
  name: 'streams/extend',
  args: { group: text, consumer: text, claims: list(text) },
  reply: (raw) => asList(raw) as readonly number[],
  idempotent: true,
});

export const joinScript = defineScript({
  name: 'streams/join',
  args: { group: text, from: text },
  reply: asInteger,
  idempotent: true,
});

export const leaveScript = defineScript({
  name: 'streams/leave',
  args: { group: text, consumer: text },
  reply: (raw) => asInteger(raw) === 1,
  idempotent: true,
});

export const publishScript = defineScript({
  name: 'streams/publish',
  args: { maxLen: integer, messages: list(bytes) },
  reply: (raw) => asList(raw).map(asText),
});

export const upkeepScript = defineScript({
  name: 'streams/upkeep',
  args: { limit: integer, maxLen: integer, maxAgeMs: integer, consumerIdleMs: integer },
  reply: (raw) => {
    const [isFull, nextInMs] = asList(raw);
    return { isFull: asInteger(isFull) === 1, nextInMs: asInteger(nextInMs) };
  },
});

export const lettersScript = defineScript({
  name: 'streams/letters',
  args: { cursor: text, limit: integer },
  reply: readLetters,
  idempotent: true,
});

export const reviveScript = defineScript({
  name: 'streams/revive',
  args: { id: text, wantedGroup: text, again: flag, cursor: text },
  reply: asText,
});

export const statsScript = defineScript({
  name: 'streams/stats',
  args: { countLimit: integer },
  reply: (raw) => {
    const [length, delayed, dead, ghosts, lost, rows] = asList(raw);
    return {
      length: asInteger(length),
      delayed: asInteger(delayed),
      dead: asInteger(dead),
      ghosts: asInteger(ghosts),
      lost: asInteger(lost),
      groups: asList(rows).map((row) => readGroupRow(asList(row))),
    };
  },
  idempotent: true,
});

export const dropGroupScript = defineScript({
  name: 'streams/drop-group',
  args: { group: text },
  reply: (raw) => asInteger(raw) === 1,
  idempotent: true,
});
