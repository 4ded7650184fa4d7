import { asBuffer, asInteger, asText } from '../redis/index.js';
import type { NamedRow } from './broker.backend.js';
import { asId } from './ids.js';
import type { MessageState, QueueStats, StoredRow } from './message.js';

/** A row as peek answers it. */
export interface PeekedRow extends StoredRow {
  readonly state: MessageState;
}

/** The rows of a flat reply, so many values each. */
export function rowsOf(flat: readonly unknown[], width: number): (readonly unknown[])[] {
  return Array.from({ length: flat.length / width }, (_, row) =>
    flat.slice(row * width, (row + 1) * width),
  );
}

/**
 * The reply of a script that gives back what is due before it looks; `null` where more is due than
 * one call gives back: then it is called again.
 */
export function orAgain<Reply>(read: (raw: unknown) => Reply): (raw: unknown) => Reply | null {
  return (raw) => (raw === null ? null : read(raw));
}

/** Reads (id, body) pairs. */
export function readRows(flat: readonly unknown[]): StoredRow[] {
  return rowsOf(flat, 2).map(([id, body]) => ({ id: asId(id), body: asBuffer(body) }));
}

/** Reads (queue, id, body) triples. */
export function readNamed(flat: readonly unknown[]): NamedRow[] {
  return rowsOf(flat, 3).map(([queue, id, body]) => ({
    queue: asText(queue),
    id: asId(id),
    body: asBuffer(body),
  }));
}

/** Reads (id, body, set) triples; the sets are called as the states are. */
export function readPeeked(flat: readonly unknown[]): PeekedRow[] {
  return rowsOf(flat, 3).map(([id, body, set]) => ({
    id: asId(id),
    body: asBuffer(body),
    state: asText(set) as MessageState,
  }));
}

/** Reads (queue, waiting, postponed, reserved, claimed, dead, whether it exists). */
export function readStats(row: readonly unknown[]): QueueStats {
  const [waiting, postponed, reserved, claimed, dead, exists] = row.slice(1).map(asInteger);
  const pending = waiting + postponed + reserved;
  return {
    queue: asText(row[0]),
    pending,
    postponed,
    reserved,
    claimed,
    dead,
    total: pending + claimed,
    exists: exists === 1,
  };
}
