import { asBuffer, asInteger, asText } from '../redis/index.js';
import type { StoredRow } from './broker.backend.js';
import { readId } from './ids.js';
import type { MessageState, QueueStats } from './message.js';

/** A row as peek answers it. */
export interface PeekedRow extends StoredRow {
  readonly state: MessageState;
}

const STATE_OF_LETTER: Readonly<Record<string, MessageState>> = Object.freeze({
  p: 'pending',
  r: 'reserved',
  c: 'claimed',
});

/** Reads (id, body) pairs. */
export function readRows(flat: readonly unknown[]): StoredRow[] {
  const rows: StoredRow[] = [];
  for (let at = 0; at < flat.length; at += 2) {
    rows.push({ id: readId(asText(flat[at])), body: asBuffer(flat[at + 1]) });
  }
  return rows;
}

/** Reads (id, body, letter of the set) triples. */
export function readPeeked(flat: readonly unknown[]): PeekedRow[] {
  const rows: PeekedRow[] = [];
  for (let at = 0; at < flat.length; at += 3) {
    const state = STATE_OF_LETTER[asText(flat[at + 2])];
    rows.push({ id: readId(asText(flat[at])), body: asBuffer(flat[at + 1]), state });
  }
  return rows;
}

/** Reads (queue, waiting, reserved, claimed, dead, whether it exists). */
export function readStats(row: readonly unknown[]): QueueStats {
  const [waiting, reserved, claimed, dead, exists] = row.slice(1).map(asInteger);
  const pending = waiting + reserved;
  return {
    queue: asText(row[0]),
    pending,
    reserved,
    claimed,
    dead,
    total: pending + claimed,
    exists: exists === 1,
  };
}
