import { ENGINE_NAMES, type EngineName, ENGINES, type QueueHandle } from './engines.js';
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
    return this.open(queue).add(type, payload, options);
  }

  /** Puts many jobs into one queue, in few round trips; the results come in the same order. */
  enqueueMany<Jobs>(
    queue: QueueDefinition<'jobs', Jobs>,
    jobs: readonly NoInfer<NewJobOf<Jobs>>[],
  ): Promise<readonly EnqueueResult[]>;
  enqueueMany(queue: string, jobs: readonly NewJob[]): Promise<readonly EnqueueResult[]>;
  enqueueMany(queue: QueueReference, jobs: readonly NewJob[]): Promise<readonly EnqueueResult[]> {
    return this.open(queue).addMany(jobs);
  }

  /** The handle of a queue, as `@InjectQueue` injects it: get, cancel, retry, list, pause … */
  queue<Engine extends EngineName, Shape>(
    queue: QueueDefinition<Engine, Shape>,
  ): QueueHandle<Engine, Shape>;
  queue(queue: string): JobQueue;
  queue(queue: QueueReference): QueueHandle<EngineName, Record<string, unknown>> {
    return this.open(queue);
  }

  /** How many jobs of a queue are in each state. */
  stats(queue: QueueReference): Promise<JobStats> {
    return this.open(queue).stats();
  }

  /** How this process is doing: its loops, its connection, its upkeep. Asks Redis nothing. */
  health(): RedisQueueHealth {
    const { connection, options, promoter, runner } = this.instance;
    const connected = ENGINE_NAMES.map((name) => [name, connection.connected] as const);
    return {
      instance: options.name,
      role: options.role,
      connected: Object.fromEntries(connected) as RedisQueueHealth['connected'],
      loops: runner.health(),
      upkeep: promoter.health().map(withSinceRun),
    };
  }

  private open(queue: QueueReference): QueueHandle<EngineName, Record<string, unknown>> {
    const key = getQueueToken(queue);
    const known = this.handles.get(key);
    if (known) return known;
    const { engine, name } = refer(queue);
    const handle = ENGINES[engine].openQueue(this.instance.engines[engine].driver, name);
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
