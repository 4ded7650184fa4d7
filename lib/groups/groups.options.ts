import { checkBoolean, checkDuration, checkInteger, checkKeys } from '../errors/index.js';
import {
  checkCodec,
  checkRetention,
  JSON_CODEC,
  KEEP_FAILURES,
  type PayloadCodec,
  type Retention,
  type RetentionLimits,
} from '../delivery/index.js';
import type { StandaloneOptions } from '../redis/index.js';

/** Options of the groups engine, for the module (`groups: …`) and for a transport used alone. */
export interface GroupsOptions {
  /** Lease of a claim: how long a silent holder keeps its group, in milliseconds. @default 30_000 */
  readonly leaseMs?: number;
  /**
   * Attempts after which a transport's claim or nack sends the head to the dead letters; processors
   * have their own, `retry.attempts`. `null`: no limit (the seed's rule). @default null
   */
  readonly maxAttempts?: number | null;
  /**
   * How many head messages of each group one lease takes, 1 to 100. A batch that lapses comes again
   * as a whole, without those that were acked; messages behind the head count their attempts only
   * from when they are the head. @default 1
   */
  readonly groupBatch?: number;
  /**
   * Whether a new group comes ahead of all that were served before (the seed's rule), new ones of
   * a tier in the order of their arrival; `false` puts it behind
   * them, so that an endless stream of new groups cannot starve the others. @default true
   */
  readonly newGroupsFirst?: boolean;
  /** How many dead letters stay, and how long. @default { count: 10_000, ageMs: 14 days } */
  readonly keepDead?: Retention;
  /** Largest payload in bytes; a larger one is refused before the write. @default 1 MiB */
  readonly maxPayloadBytes?: number;
  /** How payloads become bytes. @default JSON */
  readonly codec?: PayloadCodec;
}

/** Options of a `GroupTransport` used without the module. */
export interface GroupTransportOptions extends GroupsOptions, StandaloneOptions {
  /** 1 to 512 bytes without control characters. @default 'default' */
  readonly topic?: string;
  /** @default 'rq' */
  readonly prefix?: string;
}

/** The engine's options with every default filled in. */
export interface GroupsSettings {
  readonly leaseMs: number;
  readonly maxAttempts: number | null;
  readonly groupBatch: number;
  readonly newGroupsFirst: boolean;
  readonly keepDead: RetentionLimits;
  readonly maxPayloadBytes: number;
  readonly codec: PayloadCodec;
}

export const GROUPS_DEFAULTS: GroupsSettings = Object.freeze({
  leaseMs: 30_000,
  maxAttempts: null,
  groupBatch: 1,
  newGroupsFirst: true,
  keepDead: KEEP_FAILURES,
  maxPayloadBytes: 1_048_576,
  codec: JSON_CODEC,
});

/** How many groups or settles one call may hold, so that no call holds the server for long. */
export const MAX_BATCH = 500;

/** Head messages of one group under one lease, at most. */
export const MAX_GROUP_BATCH = 100;

const OPTION_NAMES = Object.keys(GROUPS_DEFAULTS);

/**
 * Checks the engine's options and fills in the defaults.
 *
 * @throws InvalidOptionError naming the option, with `path` in front.
 */
export function resolveGroupsOptions(options: GroupsOptions = {}, path = 'groups'): GroupsSettings {
  checkKeys(path, options, OPTION_NAMES);
  const set = Object.entries(options).filter(([, value]) => value !== undefined);
  const given = { ...GROUPS_DEFAULTS, ...(Object.fromEntries(set) as GroupsOptions) };
  const at = (name: keyof GroupsOptions) => `${path}.${name}`;
  return Object.freeze({
    leaseMs: checkDuration(at('leaseMs'), given.leaseMs),
    maxAttempts: checkAttempts(at('maxAttempts'), given.maxAttempts),
    groupBatch: checkGroupBatch(at('groupBatch'), given.groupBatch),
    newGroupsFirst: checkBoolean(at('newGroupsFirst'), given.newGroupsFirst),
    keepDead: checkRetention(at('keepDead'), options.keepDead, GROUPS_DEFAULTS.keepDead),
    maxPayloadBytes: checkInteger(at('maxPayloadBytes'), given.maxPayloadBytes, {
      min: 1,
      max: 2 ** 29,
    }),
    codec: checkCodec(at('codec'), given.codec),
  });
}

/** @throws InvalidOptionError naming the option */
export function checkGroupBatch(option: string, value: unknown): number {
  return checkInteger(option, value, { min: 1, max: MAX_GROUP_BATCH });
}

function checkAttempts(option: string, value: number | null): number | null {
  return value === null ? null : checkInteger(option, value, { min: 1, max: 1_000_000 });
}
