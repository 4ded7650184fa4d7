import type { Redis } from 'ioredis';
import { createBrokerEngine } from '../../lib/broker/index.js';
import type { Engine, Message } from '../../lib/contract/index.js';
import { createGroupsEngine } from '../../lib/groups/index.js';
import { createJobsEngine } from '../../lib/jobs/index.js';
import { KeySpace, RedisConnection, type ConnectionSettings } from '../../lib/redis/index.js';
import { createStreamsEngine } from '../../lib/streams/index.js';
import { Promoter } from '../../lib/upkeep/index.js';
import { ClaimLoop } from '../../lib/worker/index.js';
import { RecordingLogger } from '../contract/logs.js';
import { pause } from '../contract/waiting.js';
import { auditNamespace } from '../engine/broker/namespace-audit.js';
import { eventually } from './eventually.js';

/** The engines of the library. */
export const ENGINES = ['groups', 'jobs', 'broker', 'streams'] as const;
export type EngineName = (typeof ENGINES)[number];

/** Where a loop works, and how. */
export interface EngineLoopSetup {
  readonly connection: ConnectionSettings['connection'];
  readonly prefix: string;
  /** The queue; the namespace of a broker. @default 'work' */
  readonly queue?: string;
  readonly limits?: Partial<ConnectionSettings>;
  /** @default 10_000 */
  readonly leaseMs?: number;
  /** How long each handler takes. @default 5 */
  readonly workMs?: number;
}

/** One run of a handler, as it began. */
export interface NumberedRun {
  readonly number: number;
  readonly attempt: number;
}

/** How many groups there are: number n is in group n % GROUPS. */
export const GROUPS = 8;

/** What one engine differs in. */
interface Opened {
  readonly engine: Engine;
  /** A key of the slot in which everything of the queue is. */
  readonly base: string;
  produce(number: number): Promise<unknown>;
  /** What contradicts itself in the stored state; `node` serves the queue. */
  audit(node: Redis): Promise<readonly unknown[]>;
}

/** A producer of numbers and a claim loop of one engine, as one process has them. */
export class EngineLoop {
  /** In the order in which they began. */
  readonly runs: NumberedRun[] = [];
  readonly logger = new RecordingLogger();
  private readonly queue: string;
  private readonly connection: RedisConnection;
  private readonly opened: Opened;
  private readonly loop: ClaimLoop;
  private readonly promoter: Promoter;

  constructor(
    readonly name: EngineName,
    setup: EngineLoopSetup,
  ) {
    const { connection, limits, leaseMs = 10_000, workMs = 5 } = setup;
    const { logger } = this;
    this.queue = setup.queue ?? 'work';
    this.connection = new RedisConnection({ connection, logger, ...limits });
    this.opened = OPEN[name](this.connection, setup.prefix, this.queue);
    const { engine } = this.opened;
    // outages cost claims whose reply is lost: none of them may end a message
    const target = { queue: this.queue, slots: 10, leaseMs, attempts: 1_000 };
    this.loop = new ClaimLoop({
      name,
      source: engine.source(target),
      handler: (message) => (this.note(message), pause(workMs)),
      options: { concurrency: 10, leaseMs, retry: { attempts: 1_000 } },
      logger,
    });
    this.promoter = new Promoter({ logger, everyMs: 100 });
    for (const task of engine.upkeep(target)) this.promoter.add(task, 100);
  }

  get base(): string {
    return this.opened.base;
  }

  start(): this {
    this.promoter.start();
    this.loop.start();
    return this;
  }

  /** Answers something true. Jobs may be repeated, the others are there twice then. */
  produce(number: number): Promise<unknown> {
    return this.opened.produce(number);
  }

  /** How often each number ran, by number. */
  counts(): ReadonlyMap<number, number> {
    const counts = new Map<number, number>();
    for (const { number } of this.runs) counts.set(number, (counts.get(number) ?? 0) + 1);
    return counts;
  }

  /** Numbers that ran after a later one of their group; only the groups engine keeps an order. */
  late(): readonly number[] {
    const last = Array<number>(GROUPS).fill(0);
    return [...this.counts().keys()].filter((number) => {
      const isLate = number < last[number % GROUPS];
      last[number % GROUPS] = number;
      return isLate;
    });
  }

  /** Resolves once so many numbers have run; fails with what the loop has logged. */
  async untilRan(count: number): Promise<void> {
    await eventually(() => {
      const ran = this.counts().size;
      if (ran >= count) return true;
      const log = this.logger.lines.map(({ text }) => text);
      throw new Error(`${this.name}: ${ran} of ${count} ran; its log: ${log.join('; ')}`);
    });
  }

  /** Resolves once so many numbers have run and nothing is left, not even a dead letter. */
  async untilSettled(count: number): Promise<void> {
    await this.untilRan(count);
    const { engine } = this.opened;
    const nothing = { waiting: 0, running: 0, dead: 0 };
    await eventually(async () => {
      const { waiting, running } = await engine.health(this.queue);
      const dead = await engine.deadLetters(this.queue).count();
      expect([this.name, { waiting, running, dead }]).toEqual([this.name, nothing]);
      return true;
    });
  }

  audit(node: Redis): Promise<readonly unknown[]> {
    return this.opened.audit(node);
  }

  async stop(): Promise<void> {
    await this.loop.drain(0);
    await this.promoter.stop();
    await this.connection.close();
  }

  private note({ payload, attempt }: Message): void {
    this.runs.push({ number: Number(payload), attempt });
  }
}

const OPEN: Readonly<
  Record<EngineName, (connection: RedisConnection, prefix: string, queue: string) => Opened>
> = {
  groups: (connection, prefix, queue) => {
    const { engine, driver } = createGroupsEngine({ connection, prefix });
    const topic = driver.topic(queue);
    return {
      engine,
      base: new KeySpace(prefix, 'groups', queue).base,
      produce: (payload) => topic.publish({ group: `g${payload % GROUPS}`, payload }),
      audit: () => topic.audit(),
    };
  },
  jobs: (connection, prefix, queue) => {
    const options = { maxRecoveries: 1_000 };
    const { engine, driver } = createJobsEngine({ connection, prefix, options });
    const jobs = driver.queue(queue);
    return {
      engine,
      base: new KeySpace(prefix, 'jobs', queue).base,
      produce: (payload) => jobs.enqueue({ id: `n${payload}`, type: 'work', payload }),
      audit: () => jobs.audit(),
    };
  },
  broker: (connection, prefix, namespace) => {
    const { base } = new KeySpace(prefix, 'broker', namespace);
    const { engine, driver } = createBrokerEngine({ connection, prefix, options: { namespace } });
    return {
      engine,
      base,
      produce: (payload) => driver.write(namespace, String(payload)),
      audit: (node) => auditNamespace(node, base),
    };
  },
  streams: (connection, prefix, queue) => {
    const { engine, driver } = createStreamsEngine({ connection, prefix });
    const transport = driver.queue(queue);
    return {
      engine,
      base: new KeySpace(prefix, 'streams', queue).base,
      produce: (payload) => transport.append(payload),
      audit: () => Promise.resolve([]),
    };
  },
};
