import {
  checkBoolean,
  checkDuration,
  checkInteger,
  checkKeys,
  MAX_TIMER_MS,
  withoutUndefined,
} from '../errors/index.js';
import {
  checkCodec,
  checkRetention,
  KEEP_FAILURES,
  type PayloadCodec,
  type Retention,
  type RetentionLimits,
} from '../delivery/index.js';
import type { StandaloneOptions } from '../redis/index.js';
import { TEXT_CODEC } from './body.js';
import { checkBackend, type BrokerBackend } from './broker.backend.js';
import { checkNamespace } from './queue-name.js';
import { MAX_ROWS } from './selectors.js';

/** Options of the broker engine, for the module (`broker: …`) and for a broker used alone. */
export interface BrokerOptions {
  /** Holds the queues, the aliases and the ids; one hash slot of a cluster. @default 'default' */
  readonly namespace?: string;
  /** Largest body in UTF-8 bytes; a larger one is refused before the write. @default 10 MiB */
  readonly maxMessageBytes?: number;
  /** How bodies that are no texts become bytes. @default none: bodies are texts as they are */
  readonly codec?: PayloadCodec;
  /** Age at which an open batch counts as abandoned, in milliseconds; negative never. @default 300_000 */
  readonly staleBatchMs?: number;
  /** Whether claimed messages are deleted when every tenth is one, or more than 10,000 are. @default true */
  readonly autoVacuum?: boolean;
  /** How many messages this process changes between two looks whether to vacuum. @default 100 */
  readonly vacuumEvery?: number;
  /** How many messages an at-least-once batch reserves. @default 100 */
  readonly batchSize?: number;
  /** The most connections, and so the most commands in flight. @default 50 */
  readonly maxConnections?: number;
  /** How long a call waits for a free connection, in milliseconds. @default 5_000 */
  readonly poolTimeoutMs?: number;
  /** Lease of a message that a processor holds. @default 30_000 */
  readonly leaseMs?: number;
  /** Milliseconds between two runs of upkeep. @default 1_000 */
  readonly promoteEveryMs?: number;
  /** Which dead letters of a processor are kept. @default { count: 10_000, ageMs: 14 days } */
  readonly keepDead?: Retention;
  /** Stores messages elsewhere; its `apiVersion` has to be the core's. @default Redis */
  readonly backend?: BrokerBackend;
}

/** Options of a `QueueBroker` used without the module. */
export interface QueueBrokerOptions extends BrokerOptions, StandaloneOptions {
  /** @default 'rq' */
  readonly prefix?: string;
}

/** The engine's options with every default filled in. */
export interface BrokerSettings {
  readonly namespace: string;
  readonly maxMessageBytes: number;
  readonly codec: PayloadCodec;
  readonly staleBatchMs: number;
  readonly autoVacuum: boolean;
  readonly vacuumEvery: number;
  readonly batchSize: number;
  readonly maxConnections: number;
  readonly poolTimeoutMs: number;
  readonly leaseMs: number;
  readonly promoteEveryMs: number;
  readonly keepDead: RetentionLimits;
  readonly backend: BrokerBackend | null;
}

/** What holds where the options say nothing. */
export const BROKER_DEFAULTS: BrokerSettings = Object.freeze({
  namespace: 'default',
  maxMessageBytes: 10_485_760,
  codec: TEXT_CODEC,
  staleBatchMs: 300_000,
  autoVacuum: true,
  vacuumEvery: 100,
  batchSize: 100,
  maxConnections: 50,
  poolTimeoutMs: 5_000,
  leaseMs: 30_000,
  promoteEveryMs: 1_000,
  keepDead: KEEP_FAILURES,
  backend: null,
});

/** The names of the engine's own options. */
export const BROKER_OPTION_NAMES = Object.freeze(
  Object.keys(BROKER_DEFAULTS) as (keyof BrokerOptions)[],
);

/**
 * Checks the engine's options, a backend's version among them, and fills in the defaults.
 *
 * @throws InvalidOptionError naming the option, with `path` in front; ApiVersionError
 */
export function resolveBrokerOptions(options: BrokerOptions = {}, path = 'broker'): BrokerSettings {
  checkKeys(path, options, BROKER_OPTION_NAMES);
  const { backend, keepDead } = options;
  const given = { ...BROKER_DEFAULTS, ...withoutUndefined(options) };
  const at = (name: string) => `${path}.${name}`;
  const count = (name: keyof typeof LIMITS) => checkInteger(at(name), given[name], LIMITS[name]);
  return Object.freeze({
    namespace: checkNamespace(at('namespace'), given.namespace),
    maxMessageBytes: count('maxMessageBytes'),
    codec: checkCodec(at('codec'), given.codec),
    staleBatchMs: count('staleBatchMs'),
    autoVacuum: checkBoolean(at('autoVacuum'), given.autoVacuum),
    vacuumEvery: count('vacuumEvery'),
    batchSize: count('batchSize'),
    maxConnections: count('maxConnections'),
    poolTimeoutMs: checkDuration(at('poolTimeoutMs'), given.poolTimeoutMs, { max: MAX_TIMER_MS }),
    leaseMs: checkDuration(at('leaseMs'), given.leaseMs),
    promoteEveryMs: checkDuration(at('promoteEveryMs'), given.promoteEveryMs, { min: 10 }),
    keepDead: checkRetention(at('keepDead'), keepDead, BROKER_DEFAULTS.keepDead),
    backend: backend === undefined ? null : checkBackend(at('backend'), backend),
  });
}

const LIMITS = {
  maxMessageBytes: { min: 1, max: 2 ** 29 },
  staleBatchMs: { max: 1e13 },
  vacuumEvery: { min: 1, max: 1e9 },
  batchSize: { min: 1, max: MAX_ROWS },
  maxConnections: { min: 1, max: 10_000 },
} as const;
