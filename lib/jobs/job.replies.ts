import { asInteger, asText } from '../redis/index.js';
import type { JobStatus } from './job.js';

/** A job as the claim part of a script answers it; the body is decoded later. */
export interface ClaimedEntry {
  readonly id: string;
  readonly data: Buffer;
  readonly attempt: number;
  readonly fence: number;
}

/** A job as `get` and `list` answer it. */
export interface ShownJob {
  readonly id: string;
  readonly data: Buffer;
  readonly result: Buffer | null;
  readonly status: JobStatus;
  /** 0 unless it has ended. */
  readonly finishedAt: number;
  readonly attempts: number;
  readonly recoveries: number;
  readonly startedAt: number;
  readonly fence: number;
  readonly error: string;
  readonly due: number | null;
}

const STATUS_OF_LETTER: Readonly<Record<string, JobStatus>> = Object.freeze({
  p: 'pending',
  s: 'scheduled',
  r: 'running',
  d: 'done',
  f: 'failed',
  c: 'cancelled',
});

/** The letter under which Lua knows a status. */
export function letterOf(status: JobStatus): string {
  return status.charAt(0);
}

/** The status of a letter that a script answered. */
export function statusOf(letter: string): JobStatus {
  return STATUS_OF_LETTER[letter];
}

/**
 * Reads (id, data, attempt) triples; their fences follow one another from `firstFence`. One without
 * data was cancelled or recovered before a lost reply was asked for again.
 */
export function readClaimed(firstFence: number, flat: readonly unknown[]): ClaimedEntry[] {
  const entries: ClaimedEntry[] = [];
  for (let at = 0; at < flat.length; at += 3) {
    const data = flat[at + 1] as Buffer | null;
    if (data === null) continue;
    entries.push({
      id: asText(flat[at]),
      data,
      attempt: flat[at + 2] as number,
      fence: firstFence + at / 3,
    });
  }
  return entries;
}

export function readShown(row: readonly unknown[]): ShownJob {
  const due = row[10] as Buffer | null;
  return {
    id: asText(row[0]),
    data: row[1] as Buffer,
    result: row[2] as Buffer | null,
    status: statusOf(asText(row[3])),
    finishedAt: asInteger(row[4]),
    attempts: asInteger(row[5]),
    recoveries: asInteger(row[6]),
    startedAt: asInteger(row[7]),
    fence: Number(asText(row[8])),
    error: asText(row[9]),
    due: due === null ? null : Number(asText(due)),
  };
}
