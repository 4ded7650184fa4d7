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
 * Reads (group, tier, attempt, frames) quadruples; the fences of their messages follow one another.
 * A lease that was over when a lost reply was asked for again has no frames, and its number of
 * messages in the place of the attempt.
 */
export function readTaken(firstFence: number, flat: readonly unknown[]): GroupLease[] {
  const leases: GroupLease[] = [];
  let fence = firstFence;
  for (let at = 0; at < flat.length; at += 4) {
    const attempt = flat[at + 2] as number;
    const frames = flat[at + 3] as readonly Buffer[];
    const group = asText(flat[at]);
    if (frames.length > 0)
      leases.push({ group, tier: asInteger(flat[at + 1]), attempt, fence, frames });
    fence += frames.length || attempt;
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
