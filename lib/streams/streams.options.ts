import {
  InvalidOptionError,
  checkDuration,
  checkInteger,
  checkKeys,
  checkOneOf,
  MAX_TIMER_MS,
  withoutUndefined,
} from '../errors/index.js';
import { JSON_CODEC, checkCodec, type PayloadCodec } from '../delivery/index.js';
import { checkName, type StandaloneOptions } from '../redis/index.js';

/** Options of the streams engine, for the module (`streams: …`) and for its parts used alone. */
export interface StreamsOptions {
  /** How long an entry may stay unsettled before another consumer takes it over. @default 60_000 */
  readonly leaseMs?: number;
  /**
   * How long one read waits for an entry; also how often lapsed entries are looked for, and the
   * longest that `stop()` takes; up to 2,147,483,647. @default 1_000
   */
  readonly blockMs?: number;
  /** An entry that was taken over more often than this is dead-lettered. @default no limit */
  readonly maxDeliveries?: number;
  /** How many dead letters are kept, approximately; the oldest go first. @default 10_000 */
  readonly deadMaxLen?: number;
  /**
   * A hard cap on the length of the stream: the oldest entries beyond it are dropped, read or not.
   * What a group loses that way is counted. @default no cap
   */
  readonly maxLen?: number;
  /** A hard cap on the age of entries, in milliseconds, as `maxLen`. @default no cap */
  readonly maxAgeMs?: number;
  /** Consumer names that idle this long with nothing pending are removed. @default 86_400_000 */
  readonly consumerIdleMs?: number;
  /** Milliseconds between two runs of upkeep (move what is due, trim, sweep). @default 1_000 */
  readonly promoteEveryMs?: number;
  /** How many due messages or capped entries one upkeep script takes; repeated while full. @default 100 */
  readonly promoteLimit?: number;
  /**
   * Where a group begins that does not exist yet: with all that is in the stream, or with what
   * comes from then on. One that was lost is made again from the start. @default 'start'
   */
  readonly from?: 'start' | 'now';
  /** The group of a consumer that names none. @default 'default' */
  readonly group?: string;
  /** Largest body in bytes; a larger one is refused before the write. @default 1 MiB */
  readonly maxPayloadBytes?: number;
  /** How payloads become bodies. @default JSON */
  readonly codec?: PayloadCodec;
}

/** The engine's options with every default filled in; `null` is no limit. */
export interface StreamsSettings extends Required<
  Omit<StreamsOptions, 'maxDeliveries' | 'maxLen' | 'maxAgeMs'>
> {
  readonly maxDeliveries: number | null;
  readonly maxLen: number | null;
  readonly maxAgeMs: number | null;
}

/** What holds where the options say nothing; lease, block, dead letters as in the seed. */
export const STREAMS_DEFAULTS: StreamsSettings = Object.freeze({
  leaseMs: 60_000,
  blockMs: 1_000,
  maxDeliveries: null,
  deadMaxLen: 10_000,
  maxLen: null,
  maxAgeMs: null,
  consumerIdleMs: 86_400_000,
  promoteEveryMs: 1_000,
  promoteLimit: 100,
  from: 'start',
  group: 'default',
  maxPayloadBytes: 1_048_576,
  codec: JSON_CODEC,
});

/** The names of the engine's options. */
export const STREAMS_OPTION_NAMES = Object.freeze(
  Object.keys(STREAMS_DEFAULTS) as (keyof StreamsOptions)[],
);

/** How a part of the engine that is used without the module reaches Redis, and which queue. */
export interface StreamsStandalone extends Omit<StandaloneOptions, 'blockMs'> {
  /** `redis[s]://…`; exactly one of `url`, `client` and `connection`. */
  readonly url?: string;
  /** @default 'default' */
  readonly queue?: string;
  /** First part of every key. @default 'rq' */
  readonly prefix?: string;
}

/** Options of a `StreamTransport` used without the module. */
export type StreamTransportOptions = StreamsStandalone & StreamsOptions;

/** Options of a `StreamProducer` used without the module. */
export type StreamProducerOptions = StreamsStandalone &
  Pick<StreamsOptions, 'maxLen' | 'maxPayloadBytes'>;

/** What a consumer reads, and how. */
export interface StreamReadOptions {
  /** The queues to read. @default the queue of its transport */
  readonly queues?: readonly string[];
  /** Consumers of one group share the entries; each group gets every entry. @default 'default' */
  readonly group?: string;
  /** @default the engine's leaseMs */
  readonly leaseMs?: number;
  /** @default the engine's maxDeliveries */
  readonly maxDeliveries?: number;
  /**
   * How many entries are taken at a time: 1 to 10,000. They are under lease from then on, so
   * prefetch × the time of one must stay below the lease. @default 1
   */
  readonly prefetch?: number;
}

/** Options of a `StreamConsumer` used without the module. */
export type StreamConsumerOptions = StreamsStandalone & StreamsOptions & StreamReadOptions;

/** What one script call may hold. */
export const MAX_BATCH = 500;

/** The most queues that one consumer reads. */
const MAX_QUEUES = 100;

/**
 * Checks the engine's options and fills in the defaults.
 *
 * @throws InvalidOptionError naming the option, with `path` in front.
 */
export function resolveStreamsOptions(
  options: StreamsOptions = {},
  path = 'streams.',
): StreamsSettings {
  checkKeys(path.replace(/\.$/, '') || 'options', options, STREAMS_OPTION_NAMES);
  const given: StreamsSettings = { ...STREAMS_DEFAULTS, ...withoutUndefined(options) };
  const at = (name: keyof StreamsOptions) => `${path}${name}`;
  return Object.freeze({
    ...checkLimits(given, at),
    leaseMs: checkDuration(at('leaseMs'), given.leaseMs),
    blockMs: checkDuration(at('blockMs'), given.blockMs, { max: MAX_TIMER_MS }),
    consumerIdleMs: checkDuration(at('consumerIdleMs'), given.consumerIdleMs),
    promoteEveryMs: checkDuration(at('promoteEveryMs'), given.promoteEveryMs, { min: 10 }),
    promoteLimit: checkInteger(at('promoteLimit'), given.promoteLimit, { min: 1, max: MAX_BATCH }),
    from: checkOneOf(at('from'), given.from, ['start', 'now']),
    group: checkName(at('group'), given.group),
    codec: checkCodec(at('codec'), given.codec),
  });
}

/** Names of queues, each once. */
export function checkQueues(queues: readonly string[], option = 'queues'): readonly string[] {
  if (!Array.isArray(queues) || queues.length === 0 || queues.length > MAX_QUEUES) {
    throw new InvalidOptionError(option, `expected a list of 1 to ${MAX_QUEUES} queues`);
  }
  return [...new Set(queues.map((queue) => checkName(option, queue)))];
}

function checkLimits(given: StreamsSettings, at: (name: keyof StreamsOptions) => string) {
  const { maxDeliveries, maxLen, maxAgeMs } = given;
  const max = 1e9;
  return {
    maxDeliveries:
      maxDeliveries === null
        ? null
        : checkInteger(at('maxDeliveries'), maxDeliveries, { min: 1, max }),
    deadMaxLen: checkInteger(at('deadMaxLen'), given.deadMaxLen, { min: 1, max }),
    maxLen: maxLen === null ? null : checkInteger(at('maxLen'), maxLen, { min: 1, max }),
    maxAgeMs: maxAgeMs === null ? null : checkDuration(at('maxAgeMs'), maxAgeMs),
    maxPayloadBytes: checkInteger(at('maxPayloadBytes'), given.maxPayloadBytes, {
      min: 1,
      max: 2 ** 29,
    }),
  };
}
