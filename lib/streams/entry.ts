import { asBuffer, asInteger, asList, asText } from '../redis/index.js';

/** An entry of a stream that this process holds. */
export interface StreamEntry {
  /** The message's id: of its first entry, or made by its producer when it was delayed. */
  readonly id: string;
  readonly entryId: string;
  readonly queue: string;
  /** `null` when whoever wrote the entry gave it no body. */
  readonly body: Buffer | null;
  /** JSON text, '' when there are none. */
  readonly headers: string;
  /** Epoch milliseconds of the server, when the message was published. */
  readonly since: number;
  /** Which run of the message this is. */
  readonly attempt: number;
  readonly deliveryCount: number;
  /** Names this claim: the delivery count, and how often the entry was given back. */
  readonly token: string;
  readonly fence: number;
}

/** An entry as the server answers it, before it has a fence. */
export interface RawEntry {
  readonly id: string;
  /** None for one that is held no more: only a call that was sent again answers such. */
  readonly fields: readonly unknown[];
  readonly count: number;
  readonly releases: string;
}

/** What XREADGROUP answers for one stream: (id, fields) pairs. */
export function readNewEntries(raw: unknown): RawEntry[] {
  return asList(raw).map((entry) => {
    const [id, fields] = asList(entry);
    return { id: asText(id), fields: asList(fields), count: 1, releases: '0' };
  });
}

/** What a script answers for entries taken over: (id, fields, delivery count, releases). */
export function readTakenEntries(raw: unknown): RawEntry[] {
  return asList(raw).map((entry) => {
    const [id, fields, count, releases] = asList(entry);
    const known = { count: asInteger(count), releases: asText(releases) };
    return { id: asText(id), fields: asList(fields), ...known };
  });
}

/** The entry that its holder works with. */
export function toEntry(raw: RawEntry, queue: string, fence: number): StreamEntry {
  const { id: entryId, fields, count } = raw;
  const plain = fields.length === 2 && asText(fields[0]) === 'body';
  const read = plain ? NO_FIELDS : fieldsOf(fields);
  return {
    id: read.id ?? entryId,
    entryId,
    queue,
    body: plain ? asBuffer(fields[1]) : bodyOf(fields),
    headers: read.headers ?? '',
    since: Number(read.since ?? entryId.slice(0, entryId.indexOf('-'))),
    attempt: (Number(read.attempt) || 0) + count,
    deliveryCount: count,
    token: `${count}.${raw.releases}`,
    fence,
  };
}

/** Whether the entry came back to another group, which alone is to see it. */
export function isForeign({ fields }: RawEntry, group: string): boolean {
  if (fields.length === 2) return false;
  const owner = fieldsOf(fields).group;
  return owner !== undefined && owner !== group;
}

const NO_FIELDS: Readonly<Record<string, string | undefined>> = Object.freeze({});
const READ = new Set(['headers', 'id', 'since', 'attempt', 'group']);

function fieldsOf(flat: readonly unknown[]): Readonly<Record<string, string | undefined>> {
  const fields: Record<string, string> = {};
  for (let at = 0; at < flat.length; at += 2) {
    const name = asText(flat[at]);
    if (READ.has(name)) fields[name] = asText(flat[at + 1]);
  }
  return fields;
}

function bodyOf(flat: readonly unknown[]): Buffer | null {
  for (let at = 0; at < flat.length; at += 2)
    if (asText(flat[at]) === 'body') return asBuffer(flat[at + 1]);
  return null;
}
