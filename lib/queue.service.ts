import type { QueueStats, WriteOptions } from './broker/index.js';
import { ENGINE_NAMES, type EngineName, ENGINES, openHandle, type QueueHandle } from './engines.js';
import type { GroupStats, NewMessage, PublishOutcome, PublishResult } from './groups/index.js';
import { checkOneOf } from './errors/index.js';
import type {
  EnqueueResult,
  JobOptions,
  JobQueue,
  JobStats,
  JobTypeOf,
  NewJob,
  NewJobOf,
} from './jobs/index.js';
import {
  getQueueToken,
  type ProcessorHealth,
  type QueueDefinition,
  type QueueReference,
  refer,
} from './processor/index.js';
import type { RedisQueueInstance } from './redis-queue.instance.js';
import type { RedisQueueRole } from './redis-queue.options.js';
import type { NewStreamPayload, StreamPublishOptions, StreamStats } from './streams/index.js';
import type { UpkeepHealth } from './upkeep/index.js';

/** How one `forRoot` of this process is doing. */
export interface RedisQueueHealth {
  /** The name of the `forRoot`. */
  readonly instance: string;
  readonly role: RedisQueueRole;
  /** Whether the last command of each engine's connection was answered. */
  readonly connected: { readonly [Name in EngineName]: boolean };
  /** One entry a claim loop. */
  readonly loops: readonly ProcessorHealth[];
  /** One entry a queue that is worked on here. */
  readonly upkeep: readonly QueueUpkeepHealth[];
}

/** How the upkeep of one queue is doing. */
export interface QueueUpkeepHealth extends UpkeepHealth {
  /** Milliseconds since a run last ended well, `null` before the first. */
  readonly sinceRunMs: number | null;
}

/** How many handles are kept; an application with more names makes some of them anew. */
const MAX_HANDLES = 1_000;

/**
 * What most applications inject: puts work into any queue and reads its state.
 *
 * Queues are named by their definition, which types payloads, or by name, which leaves them to be
 * checked at run time.
 */
export class QueueService {
  private readonly handles = new Map<string, QueueHandle<EngineName, Record<string, unknown>>>();

  constructor(private readonly instance: RedisQueueInstance) {}

  /**
   * Puts a job into a jobs queue.
   *
   * @throws InvalidOptionError, PayloadError before anything is written; OperationalError when
   * Redis did not answer well. Safe to repeat with the same `id`.
   */
  enqueue<Jobs, Type extends JobTypeOf<Jobs>>(
    queue: QueueDefinition<'jobs', Jobs>,
    type: Type,
    payload: NoInfer<Jobs[Type]>,
    options?: JobOptions,
  ): Promise<EnqueueResult>;
  enqueue(
    queue: string,
    type: string,
    payload: unknown,
    options?: JobOptions,
  ): Promise<EnqueueResult>;
  enqueue(
    queue: QueueReference,
    ...[type, payload, options]: [type: string, payload: unknown, options?: JobOptions]
  ): Promise<EnqueueResult> {
    return this.open('jobs', queue).add(type, payload, options);
  }

  /** Puts many jobs into one queue, in few round trips; the results come in the same order. */
  enqueueMany<Jobs>(
    queue: QueueDefinition<'jobs', Jobs>,
    jobs: readonly NoInfer<NewJobOf<Jobs>>[],
  ): Promise<readonly EnqueueResult[]>;
  enqueueMany(queue: string, jobs: readonly NewJob[]): Promise<readonly EnqueueResult[]>;
  enqueueMany(queue: QueueReference, jobs: readonly NewJob[]): Promise<readonly EnqueueResult[]> {
    return this.open('jobs', queue).addMany(jobs);
  }

  /**
   * Appends a message to its group in a topic of the groups engine.
   *
   * @throws InvalidOptionError, PayloadError before anything is written; OperationalError when
   * Redis did not answer well.
   */
  publish<Payload>(
    topic: QueueDefinition<'groups', Payload>,
    message: NewMessage<NoInfer<Payload>>,
  ): Promise<PublishResult>;
  publish(topic: string, message: NewMessage): Promise<PublishResult>;
  publish(topic: QueueReference, message: NewMessage<never>): Promise<PublishResult> {
    return this.open('groups', topic).publish(message);
  }

  /** Appends many messages in order, in few round trips; answers what became of each. */
  publishMany<Payload>(
    topic: QueueDefinition<'groups', Payload>,
    messages: readonly NewMessage<NoInfer<Payload>>[],
  ): Promise<PublishOutcome[]>;
  publishMany(topic: string, messages: readonly NewMessage[]): Promise<PublishOutcome[]>;
  publishMany(
    topic: QueueReference,
    messages: readonly NewMessage<never>[],
  ): Promise<PublishOutcome[]> {
    return this.open('groups', topic).publishMany(messages);
  }

  /**
   * Appends a payload to a stream; answers the message's id.
   *
   * @throws InvalidOptionError, PayloadError before anything is written; OperationalError when
   * Redis did not answer well.
   */
  append<Payload>(
    queue: QueueDefinition<'streams', Payload>,
    payload: NoInfer<Payload>,
    options?: StreamPublishOptions,
  ): Promise<string>;
  append(queue: string, payload: unknown, options?: StreamPublishOptions): Promise<string>;
  append(
    queue: QueueReference,
    ...[payload, options]: [payload: unknown, options?: StreamPublishOptions]
  ): Promise<string> {
    return this.open('streams', queue).append(payload as Record<string, unknown>, options);
  }

  /** Appends many payloads to a stream, in few round trips; the ids come in the same order. */
  appendMany<Payload>(
    queue: QueueDefinition<'streams', Payload>,
    payloads: readonly NewStreamPayload<NoInfer<Payload>>[],
  ): Promise<readonly string[]>;
  appendMany(queue: string, payloads: readonly NewStreamPayload[]): Promise<readonly string[]>;
  appendMany(
    queue: QueueReference,
    payloads: readonly NewStreamPayload<never>[],
  ): Promise<readonly string[]> {
    return this.open('streams', queue).appendMany(payloads);
  }

  /**
   * Writes a message to a broker queue, named literally or as `@alias`; answers its id. It has a
   * handle of its own: an open batch of another one does not hold it up.
   *
   * @throws QueueNameError, MessageError, InvalidOptionError before anything is written;
   * OperationalError when Redis did not answer well.
   */
  write<Body>(
    queue: QueueDefinition<'broker', Body>,
    body: NoInfer<Body>,
    options?: WriteOptions,
  ): Promise<bigint>;
  write(queue: string, body: unknown, options?: WriteOptions): Promise<bigint>;
  write(
    queue: QueueReference,
    ...[body, options]: [body: unknown, options?: WriteOptions]
  ): Promise<bigint> {
    return this.open('broker', queue).write(body as Record<string, unknown>, options);
  }

  /**
   * The handle of a queue, as `@InjectQueue` injects it: get, cancel, retry, list, pause … Of a
   * broker queue a new one in every call, since a handle knows of its open batch.
   */
  queue<Engine extends EngineName, Shape>(
    queue: QueueDefinition<Engine, Shape>,
  ): QueueHandle<Engine, Shape>;
  queue(queue: string): JobQueue;
  queue(queue: QueueReference): QueueHandle<EngineName, Record<string, unknown>> {
    const { engine } = refer(queue);
    return this.open(engine, queue);
  }

  /**
   * A queue in numbers: jobs by state, what the groups of a topic do, how far the consumer groups
   * of a stream are, or what a broker queue holds. A name means a jobs queue.
   */
  stats(queue: { readonly engine: 'broker'; readonly name: string }): Promise<QueueStats>;
  stats(queue: { readonly engine: 'streams'; readonly name: string }): Promise<StreamStats>;
  stats(topic: { readonly engine: 'groups'; readonly name: string }): Promise<GroupStats>;
  stats(queue: string | { readonly engine: 'jobs'; readonly name: string }): Promise<JobStats>;
  stats(queue: QueueReference): Promise<JobStats | GroupStats | StreamStats | QueueStats> {
    const { engine } = refer(queue);
    return this.open(engine, queue).stats();
  }

  /** How this process is doing: its loops, its connection, its upkeep. Asks Redis nothing. */
  health(): RedisQueueHealth {
    const { connection, engines, options, promoter, runner } = this.instance;
    const connected = ENGINE_NAMES.map(
      (name) => [name, engines[name].isConnected?.() ?? connection.connected] as const,
    );
    return {
      instance: options.name,
      role: options.role,
      connected: Object.fromEntries(connected) as RedisQueueHealth['connected'],
      loops: runner.health(),
      upkeep: promoter.health().map(withSinceRun),
    };
  }

  private open<Engine extends EngineName>(
    engine: Engine,
    queue: QueueReference,
  ): QueueHandle<Engine, Record<string, unknown>> {
    const { name } = refer(queue);
    if (typeof queue !== 'string') checkOneOf('queue.engine', queue.engine, [engine]);
    const key = getQueueToken({ engine, name });
    const known = this.handles.get(key);
    if (known) return known;
    const { driver } = this.instance.engines[engine];
    const handle = openHandle(engine, driver, name);
    if (!ENGINES[engine].hasSharedHandles) return handle;
    const oldest = this.handles.keys().next();
    if (this.handles.size >= MAX_HANDLES && !oldest.done) this.handles.delete(oldest.value);
    this.handles.set(key, handle);
    return handle;
  }
}

function withSinceRun(health: UpkeepHealth): QueueUpkeepHealth {
  const { lastRunAt } = health;
  return { ...health, sinceRunMs: lastRunAt === null ? null : Math.max(0, Date.now() - lastRunAt) };
}
