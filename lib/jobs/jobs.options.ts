import { checkDuration, checkInteger, checkKeys, withoutUndefined } from '../errors/index.js';
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

/** Options of the jobs engine, for the module (`jobs: …`) and for a driver used alone. */
export interface JobsOptions {
  /** Lease of a claim: how long a silent holder keeps its job. @default 30_000 */
  readonly leaseMs?: number;
  /** Milliseconds between two runs of upkeep (promote, recover, trim). @default 1_000 */
  readonly promoteEveryMs?: number;
  /** How many due, lapsed or outlived jobs one upkeep script moves; repeated while full. @default 100 */
  readonly promoteLimit?: number;
  /** How often a job may be recovered from a dead holder before it is failed. @default 3 */
  readonly maxRecoveries?: number;
  /** @default { count: 1_000 } */
  readonly keepDone?: Retention;
  /** @default { count: 10_000, ageMs: 14 days } */
  readonly keepFailed?: Retention;
  /** @default { count: 10_000, ageMs: 14 days } */
  readonly keepCancelled?: Retention;
  /** Largest payload or result in bytes; a larger payload is refused before the write. @default 1 MiB */
  readonly maxPayloadBytes?: number;
  /** How payloads and results become bytes. @default JSON */
  readonly codec?: PayloadCodec;
}

/** Options of a `JobDriver` used without the module. */
export interface JobDriverOptions extends JobsOptions, StandaloneOptions {
  /** @default 'default' */
  readonly queue?: string;
  /** @default 'rq' */
  readonly prefix?: string;
  /** Whether constructing the driver starts the Promoter (upkeep). @default true */
  readonly promoter?: boolean;
}

/** The engine's options with every default filled in. */
export interface JobsSettings {
  readonly leaseMs: number;
  readonly promoteEveryMs: number;
  readonly promoteLimit: number;
  readonly maxRecoveries: number;
  readonly keepDone: RetentionLimits;
  readonly keepFailed: RetentionLimits;
  readonly keepCancelled: RetentionLimits;
  readonly maxPayloadBytes: number;
  readonly codec: PayloadCodec;
}

export const JOBS_DEFAULTS: JobsSettings = Object.freeze({
  leaseMs: 30_000,
  promoteEveryMs: 1_000,
  promoteLimit: 100,
  maxRecoveries: 3,
  keepDone: Object.freeze({ count: 1_000, ageMs: 0 }),
  keepFailed: KEEP_FAILURES,
  keepCancelled: KEEP_FAILURES,
  maxPayloadBytes: 1_048_576,
  codec: JSON_CODEC,
});

/** How many jobs one call may hold, so that no call holds the server for long. */
export const MAX_BATCH = 500;

/** Job types that may have pending jobs at once; each costs statistics and listings one look. */
export const MAX_TYPES = 1_000;

/** Seed: a failed job whose caller names no delay is held off that long. */
export const FAIL_RETRY_MS = 30_000;

/** Attempts of a job when neither its producer nor its processor names a limit. */
export const DEFAULT_ATTEMPTS = 3;

const OPTION_NAMES = Object.keys(JOBS_DEFAULTS);

/**
 * Checks the engine's options and fills in the defaults.
 *
 * @throws InvalidOptionError naming the option, with `path` in front.
 */
export function resolveJobsOptions(options: JobsOptions = {}, path = 'jobs'): JobsSettings {
  checkKeys(path, options, OPTION_NAMES);
  const given = { ...JOBS_DEFAULTS, ...withoutUndefined(options) };
  const at = (name: string) => `${path}.${name}`;
  return Object.freeze({
    leaseMs: checkDuration(at('leaseMs'), given.leaseMs),
    promoteEveryMs: checkDuration(at('promoteEveryMs'), given.promoteEveryMs, { min: 10 }),
    promoteLimit: checkInteger(at('promoteLimit'), given.promoteLimit, { min: 1, max: MAX_BATCH }),
    maxRecoveries: checkInteger(at('maxRecoveries'), given.maxRecoveries, { min: 0, max: 1e6 }),
    keepDone: checkRetention(at('keepDone'), options.keepDone, JOBS_DEFAULTS.keepDone),
    keepFailed: checkRetention(at('keepFailed'), options.keepFailed, JOBS_DEFAULTS.keepFailed),
    keepCancelled: checkRetention(
      at('keepCancelled'),
      options.keepCancelled,
      JOBS_DEFAULTS.keepCancelled,
    ),
    maxPayloadBytes: checkInteger(at('maxPayloadBytes'), given.maxPayloadBytes, {
      min: 1,
      max: 2 ** 29,
    }),
    codec: checkCodec(at('codec'), given.codec),
  });
}
