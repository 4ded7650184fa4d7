import { asInteger, asList, asText } from '../redis/index.js';
import { unpack } from './frame.js';

/** One group as the claim part of a script answers it; its frames are decoded later. */
export interface GroupLease {
  /** Encoded. */
  readonly group: string;
  readonly tier: number;
  /** Attempt of the head; the messages behind it are in their first. */
  readonly attempt: number;
  /** Fence of the head and token of the lease; those of the messages behind it follow it. */
  readonly fence: number;
  readonly frames: readonly Buffer[];
}

/** A dead letter as a script answers it. */
export interface LetterRow {
  readonly id: string;
  readonly deadAt: number;
  /** Encoded. */
  readonly group: string;
  readonly tier: number;
  readonly attempts: number;
  readonly reason: string;
  readonly frame: Buffer;
}

/**
 * Reads (group, tier, attempt, frames) quadruples. The fences of their messages follow one another,
 * unless `fences` names the first of each.
 */
export function readTaken(
  firstFence: number,
  flat: readonly unknown[],
  fences: readonly unknown[] = [],
): GroupLease[] {
  const leases: GroupLease[] = [];
  let next = firstFence;
  for (let at = 0; at < flat.length; at += 4) {
    const named = fences[at / 4];
    const frames = flat[at + 3] as readonly Buffer[];
    const fence = named === undefined ? next : Number(asText(named));
    leases.push({
      group: asText(flat[at]),
      tier: asInteger(flat[at + 1]),
      attempt: flat[at + 2] as number,
      fence,
      frames,
    });
    next = fence + frames.length;
  }
  return leases;
}

/** Reads (id, time of death, letter) rows. */
export function readLetters(rows: readonly unknown[]): LetterRow[] {
  return rows.map((row) => {
    const [id, deadAt, letter] = asList(row);
    const [group, tier, attempts, reason, frame] = unpack(letter as Buffer);
    return {
      id: asText(id),
      deadAt: asInteger(deadAt),
      group: asText(group),
      tier: asInteger(tier),
      attempts: asInteger(attempts),
      reason: asText(reason),
      frame: frame as Buffer,
    };
  });
}
