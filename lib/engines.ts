import { createBrokerEngine, QueueBroker, type BrokerTyping } from './broker/index.js';
import type { Engine } from './contract/index.js';
import {
  checkGroupsProcessor,
  createGroupsEngine,
  GROUPS_PROCESSOR_SETTINGS,
  GroupTopic,
  GroupTransport,
  type GroupsProcessorSettings,
  type GroupsTyping,
} from './groups/index.js';
import { createJobsEngine, JobDriver, JobQueue, type JobsTyping } from './jobs/index.js';
import type { RedisConnection } from './redis/index.js';
import {
  checkStreamsProcessor,
  createStreamsEngine,
  STREAMS_DEFAULTS,
  STREAMS_PROCESSOR_SETTINGS,
  StreamQueue,
  StreamTransport,
  type StreamsProcessorSettings,
  type StreamsTyping,
} from './streams/index.js';

/** An engine without anything of its own. */
const PLAIN = {
  /** Whether messages have a type that `@Process('type')` can name. */
  hasTypes: false,
  /** What `@Processor` calls the place that it claims from. */
  targetOption: 'queue',
  /** What it calls several such places, where one processor may have them. */
  targetsOption: undefined,
  /** The setting in which processors of one place differ that do not take each other's messages. */
  rivalsShare: undefined,
  /** The lease of its processors where nothing names one; by default that of all loops. */
  leaseMs: undefined,
  /** Names of the settings that only processors of this engine have, and their check. */
  settingNames: Object.freeze([]),
  checkSettings: (settings: object) => settings,
  /** Whether one handle of a queue may serve everybody; a broker's knows of its open batch. */
  hasSharedHandles: true,
} as const;

/** THE list of engines: which ones exist, and what each brings, is read from here everywhere. */
export const ENGINES = Object.freeze({
  jobs: Object.freeze({
    ...PLAIN,
    /** The class that applications inject for the verbs of the engine. */
    driver: JobDriver,
    hasTypes: true,
    create: createJobsEngine,
    /** What `@InjectQueue` injects. */
    openQueue: (driver: JobDriver, name: string) => new JobQueue(name, driver.queue(name)),
  }),
  groups: Object.freeze({
    ...PLAIN,
    driver: GroupTransport,
    targetOption: 'topic',
    settingNames: GROUPS_PROCESSOR_SETTINGS,
    checkSettings: checkGroupsProcessor,
    create: createGroupsEngine,
    openQueue: (driver: GroupTransport, name: string) => new GroupTopic(name, driver.topic(name)),
  }),
  streams: Object.freeze({
    ...PLAIN,
    driver: StreamTransport,
    targetsOption: 'queues',
    rivalsShare: 'group',
    leaseMs: STREAMS_DEFAULTS.leaseMs,
    settingNames: STREAMS_PROCESSOR_SETTINGS,
    checkSettings: checkStreamsProcessor,
    create: createStreamsEngine,
    openQueue: (driver: StreamTransport, name: string) => new StreamQueue(name, driver.queue(name)),
  }),
  broker: Object.freeze({
    ...PLAIN,
    driver: QueueBroker,
    hasSharedHandles: false,
    create: createBrokerEngine,
    openQueue: (driver: QueueBroker, name: string) => driver.queue(name),
  }),
});

/** What a queue definition with the shape `Shape` is typed by, engine by engine. */
export interface EngineTypings<Shape> {
  readonly jobs: JobsTyping<Shape>;
  readonly groups: GroupsTyping<Shape>;
  readonly streams: StreamsTyping<Shape>;
  readonly broker: BrokerTyping<Shape>;
}

/** What a queue definition may be typed by: a map of job types, a payload, or a body. */
export interface EngineShapes {
  readonly jobs: object;
  readonly groups: object;
  readonly streams: object;
  readonly broker: unknown;
}

/** Where processors claim from, in the engine's own word. */
export interface EngineTargets {
  readonly jobs: {
    /** The queue's name. */
    readonly queue: string;
  };
  readonly groups: {
    /** The topic's name. */
    readonly topic: string;
  };
  readonly streams:
    | {
        /** The queue's name. */
        readonly queue: string;
        readonly queues?: undefined;
      }
    | {
        readonly queue?: undefined;
        /** The names of all queues that it reads. */
        readonly queues: readonly string[];
      };
  readonly broker: {
    /** The queue's name; no alias. */
    readonly queue: string;
  };
}

/** Settings that only processors of one engine have. */
export interface EngineSettings {
  readonly jobs: object;
  readonly groups: GroupsProcessorSettings;
  readonly streams: StreamsProcessorSettings;
  readonly broker: object;
}

/** The name of an engine, as in `@Processor({ engine })` and `defineQueue({ engine })`. */
export type EngineName = keyof typeof ENGINES;

/** Options of one engine (`forRoot({ jobs: … })`). */
export type EngineOptions<Name extends EngineName> = Parameters<
  (typeof ENGINES)[Name]['create']
>[0]['options'];

/** The injectable of one engine. */
export type EngineDriver<Name extends EngineName> = InstanceType<(typeof ENGINES)[Name]['driver']>;

/** What one engine's queue is injected as. */
export type QueueHandle<Name extends EngineName, Shape> = EngineTypings<Shape>[Name]['handle'];

/** All engines by name, in the order of the list. */
export const ENGINE_NAMES: readonly EngineName[] = Object.freeze(
  Object.keys(ENGINES) as EngineName[],
);

/** An engine in use: what loops claim from, and what applications inject. */
export interface OpenEngine<Name extends EngineName> {
  readonly engine: Engine;
  readonly driver: EngineDriver<Name>;
  /** Whether the last command was answered, where that is not told by the module's connection. */
  readonly isConnected?: () => boolean;
  /** Ends what applications began with the driver and may have left running; may wait for it. */
  readonly stop?: () => Promise<void>;
  /** Closes what the engine has beside the module's connection. */
  readonly close?: () => Promise<void>;
}

/** What every engine is made of. */
export interface EngineParts<Name extends EngineName> {
  readonly connection: RedisConnection;
  readonly prefix: string;
  readonly options: EngineOptions<Name>;
}

// That a name, its options, its driver and its handles belong together is clear to a reader and
// not to the compiler, which sees a union of functions; the casts of these two say so.

/** @throws InvalidOptionError for an engine option that cannot work. */
export function openEngine<Name extends EngineName>(
  name: Name,
  parts: EngineParts<Name>,
): OpenEngine<Name> {
  const create = ENGINES[name].create as unknown as (parts: EngineParts<Name>) => OpenEngine<Name>;
  return create(parts);
}

/** The handle of one queue; throws `InvalidOptionError` for a name that cannot be one. */
export function openHandle<Name extends EngineName>(
  engine: Name,
  driver: EngineDriver<Name>,
  name: string,
): QueueHandle<Name, Record<string, unknown>> {
  const open = ENGINES[engine].openQueue as unknown as (
    driver: EngineDriver<Name>,
    name: string,
  ) => QueueHandle<Name, Record<string, unknown>>;
  return open(driver, name);
}
