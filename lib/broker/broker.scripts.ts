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
import type { FoundRows, UnreadPage } from './broker.backend.js';
import { asId } from './ids.js';
import type { StoredRow } from './message.js';
import {
  orAgain,
  readNamed,
  readPeeked,
  readRows,
  readStats,
  rowsOf,
  type PeekedRow,
} from './row.replies.js';

/** The arguments of a selection of rows, '' for what is not named. */
const SELECTION = { exact: text, after: text, before: text, order: text, limit: integer };

export const openScript = defineScript({
  name: 'broker/open',
  args: { db: text },
  reply: (raw) => {
    const [magic, schema, last, aliases, db] = asList(raw).map(asText);
    const versions = { schemaVersion: Number(schema), aliasVersion: Number(aliases) };
    return { magic, lastId: asId(last), db, ...versions };
  },
  readsOnly: true, // to its caller: an empty namespace more or less is no outcome
});

/** Per message its id, or 0 for an unknown alias, -1 for a key of another type. */
export const writeScript = defineScript({
  name: 'broker/write',
  args: { rows: list(bytes) },
  reply: (raw) => asList(raw).map((one) => (typeof one === 'number' ? one : asId(one))),
});

export const writeNewestScript = defineScript({
  name: 'broker/write-newest',
  args: { name: text, keep: integer, body: bytes },
  reply: asId,
});

export const insertScript = defineScript({
  name: 'broker/insert',
  args: { rows: list(bytes) },
  reply: asId,
});

export const broadcastScript = defineScript({
  name: 'broker/broadcast',
  args: { mode: text, body: bytes, queues: list(text) },
  reply: (raw) => {
    const [count, last] = asList(raw);
    return { count: asInteger(count), lastId: asId(last) };
  },
});

export const readScript = defineScript({
  name: 'broker/read',
  args: { name: text, ...SELECTION },
  reply: orAgain((raw): FoundRows => {
    const [queue, rows] = asList(raw);
    return { queue: asText(queue), rows: readRows(asList(rows)) };
  }),
});

export const peekScript = defineScript({
  name: 'broker/peek',
  args: { name: text, ...SELECTION, scope: text },
  reply: (raw): FoundRows<PeekedRow> => {
    const [queue, rows] = asList(raw);
    return { queue: asText(queue), rows: readPeeked(asList(rows)) };
  },
  readsOnly: true,
});

export const dumpScript = defineScript({
  name: 'broker/dump',
  args: { after: text, before: text, limit: integer },
  reply: (raw): UnreadPage => {
    const [last, rows] = asList(raw);
    return { last: asText(last) === '' ? null : asId(last), rows: readNamed(asList(rows)) };
  },
  readsOnly: true,
});

export const firstWaitingScript = defineScript({
  name: 'broker/first-waiting',
  args: { name: text, after: text, order: text },
  reply: orAgain((raw) => ({ id: asText(raw) === '' ? null : asId(raw) })),
  readsOnly: true, // to its caller: what is due comes back by itself too
});

export const moveScript = defineScript({
  name: 'broker/move',
  args: { sourceName: text, targetName: text, ...SELECTION, withClaimed: flag },
  reply: orAgain((raw): FoundRows => {
    const [, target, rows] = asList(raw);
    return { queue: asText(target), rows: readRows(asList(rows)) };
  }),
});

export const deleteScript = defineScript({
  name: 'broker/delete',
  args: { name: text, ids: list(text) },
  reply: asInteger,
});

export const deleteQueuesScript = defineScript({
  name: 'broker/delete-queues',
  args: { before: text, names: list(text) },
  reply: asInteger,
});

export const renameScript = defineScript({
  name: 'broker/rename',
  args: { from: text, to: text, retarget: flag },
  reply: (raw) => {
    const [messages, aliases] = asList(raw).map(asInteger);
    return { messages, aliases };
  },
});

export const queuesScript = defineScript({
  name: 'broker/queues',
  args: { cursor: text },
  reply: (raw) => {
    const [cursor, rows] = asList(raw);
    const queues = rowsOf(asList(rows), 6).map((row) => readStats([...row, 1]));
    return { cursor: asText(cursor), queues };
  },
  readsOnly: true,
});

export const statsScript = defineScript({
  name: 'broker/stats',
  args: { name: text },
  reply: (raw) => readStats(asList(raw)),
  readsOnly: true,
});

export const findScript = defineScript({
  name: 'broker/find',
  args: {
    name: text,
    needle: text,
    after: text,
    before: text,
    limit: integer,
    withClaimed: flag,
  },
  reply: orAgain((raw) => {
    const [ids, cursor] = asList(raw);
    return { ids: asList(ids).map(asId), cursor: asText(cursor) };
  }),
  readsOnly: true, // to its caller, as above
});

export const aliasesScript = defineScript({
  name: 'broker/aliases',
  args: {},
  reply: (raw): ReadonlyMap<string, string> =>
    new Map(rowsOf(asList(raw), 2).map(([alias, target]) => [asText(alias), asText(target)])),
  readsOnly: true,
});

export const addAliasScript = defineScript({
  name: 'broker/alias-add',
  args: { alias: text, target: text },
  reply: (raw) => ({ shadowsQueue: asInteger(asList(raw)[1]) === 1 }),
});

export const removeAliasScript = defineScript({
  name: 'broker/alias-remove',
  args: { alias: text },
  reply: (raw) => asInteger(raw) === 1,
});

export const beginBatchScript = defineScript({
  name: 'broker/batch-begin',
  args: {
    op: text,
    sourceName: text,
    targetName: text,
    token: text,
    after: text,
    before: text,
    limit: integer,
  },
  reply: orAgain((raw) => {
    const [queue, created, rows] = asList(raw);
    const found: readonly StoredRow[] = readRows(asList(rows));
    return { queue: asText(queue), createdAt: asId(created), rows: found };
  }),
  idempotent: true, // by its token
});

/** Repeating a commit is an error, repeating a roll-back is nothing: its caller says so. */
export const endBatchScript = defineScript({
  name: 'broker/batch-end',
  args: { verb: text, token: text, source: text, created: text },
  reply: asInteger,
});

export const staleBatchesScript = defineScript({
  name: 'broker/batch-stale',
  args: { staleMs: integer, offset: integer, limit: integer },
  reply: (raw) => {
    const [looked, rows] = asList(raw);
    const batches = rowsOf(asList(rows), 3).map(([token, source, created]) => ({
      token: asText(token),
      queue: asText(source),
      createdAt: asId(created),
    }));
    return { looked: asInteger(looked), batches };
  },
  readsOnly: true,
});

export const vacuumScript = defineScript({
  name: 'broker/vacuum',
  args: { queue: text, limit: integer },
  reply: asInteger,
});

export const generateIdScript = defineScript({
  name: 'broker/generate-id',
  args: {},
  reply: asId,
  idempotent: true,
});

export const advanceIdScript = defineScript({
  name: 'broker/advance-id',
  args: { id: text },
  reply: asId,
});

export const cleanScript = defineScript({
  name: 'broker/clean',
  args: {},
  reply: (raw) => asInteger(raw) === 1,
});
