import type { EngineHealth } from '../contract/index.js';
import { asInteger, asText } from '../redis/index.js';

/** How one consumer group of a queue is doing. */
export interface StreamGroupStats {
  readonly name: string;
  /** How many consumer names it has. */
  readonly consumers: number;
  /** Entries it has still to be given, those that were given back among them. */
  readonly waiting: number;
  /** Entries that its consumers hold. */
  readonly running: number;
  /** How long the oldest entry that it was not given yet has waited, in milliseconds. */
  readonly oldestWaitingMs: number;
  readonly lastDeliveredId: string;
  /** Entries that a hard cap dropped before the group was given them. */
  readonly lost: number;
  /** Milliseconds since one of its consumers last asked; `null` when it has none. */
  readonly idleMs: number | null;
  /**
   * The oldest entry that it still needs, from which on nothing is trimmed; `null` when it is
   * through with all. A group that nobody reads for holds back the whole queue: `dropGroup`.
   */
  readonly neededFrom: string | null;
}

/** The counters of a queue. */
export interface StreamStats {
  /** Entries in the stream; settled ones stay until upkeep trims them. */
  readonly length: number;
  readonly delayed: number;
  readonly dead: number;
  /** Entries that were deleted while they were pending. */
  readonly ghosts: number;
  /** Entries that a hard cap dropped before every group was given them. */
  readonly lost: number;
  readonly groups: readonly StreamGroupStats[];
}

/** What a probe wants to know; numbers are those of the last answer while Redis is away. */
export interface StreamHealth extends EngineHealth {
  readonly groups: readonly StreamGroupStats[];
  /** Groups that hold entries back although nobody has asked for them for a long time. */
  readonly abandoned: readonly string[];
  /** Why there was no answer; `null` when there was one. */
  readonly error: string | null;
}

/** Below Redis 7 waiting entries are counted, up to this many a group. */
export const COUNT_LIMIT = 10_000;

/** Reads a row of the stats script. */
export function readGroupRow(row: readonly unknown[]): StreamGroupStats {
  const idleMs = asInteger(row[7]);
  return {
    name: asText(row[0]),
    consumers: asInteger(row[1]),
    running: asInteger(row[2]),
    waiting: asInteger(row[3]),
    oldestWaitingMs: asInteger(row[4]),
    lastDeliveredId: asText(row[5]),
    neededFrom: asText(row[6]) || null,
    idleMs: idleMs < 0 ? null : idleMs,
    lost: asInteger(row[8]),
  };
}

/**
 * What the counters mean for a probe.
 *
 * @param abandonedMs a group that nobody asks for this long is abandoned
 */
export function toHealth(stats: StreamStats, abandonedMs: number): StreamHealth {
  const { groups } = stats;
  const sum = (count: (group: StreamGroupStats) => number) =>
    groups.reduce((total, group) => total + count(group), 0);
  return {
    connected: true,
    waiting: groups.length === 0 ? stats.length : sum(({ waiting }) => waiting),
    running: sum(({ running }) => running),
    oldestWaitingMs: Math.max(0, ...groups.map(({ oldestWaitingMs }) => oldestWaitingMs)),
    groups,
    abandoned: groups.filter((group) => isAbandoned(group, abandonedMs)).map(({ name }) => name),
    error: null,
  };
}

function isAbandoned({ neededFrom, idleMs }: StreamGroupStats, abandonedMs: number): boolean {
  return neededFrom !== null && (idleMs === null || idleMs > abandonedMs);
}
