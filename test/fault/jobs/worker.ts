import type { Handler } from '../../../lib/contract/index.js';
import { createJobsEngine, type JobDriver, type JobsOptions } from '../../../lib/jobs/index.js';
import { RedisConnection, type ConnectionSettings } from '../../../lib/redis/index.js';
import { Promoter } from '../../../lib/upkeep/index.js';
import { ClaimLoop, type LoopOptions } from '../../../lib/worker/index.js';
import { RecordingLogger } from '../../contract/logs.js';

/** What a worker works on, and how. */
export interface WorkerSetup {
  readonly connection: ConnectionSettings['connection'];
  readonly prefix: string;
  readonly queue: string;
  readonly handler?: Handler;
  readonly loop?: LoopOptions;
  readonly jobs?: JobsOptions;
  readonly limits?: Partial<ConnectionSettings>;
}

/** Outages cost claims whose reply is lost: none of them may end a job of these tests. */
const PATIENT: JobsOptions = { promoteEveryMs: 100, maxRecoveries: 1_000 };

/** What one process has: a connection, a claim loop and the upkeep of its queue. */
export class Worker {
  /** How often the handler began, by job id. */
  readonly runs = new Map<string, number>();
  readonly logger = new RecordingLogger();
  readonly driver: JobDriver;
  readonly loop: ClaimLoop;
  private readonly connection: RedisConnection;
  private readonly promoter: Promoter;

  constructor(private readonly setup: WorkerSetup) {
    const { connection, prefix, queue, limits, jobs } = setup;
    const { logger } = this;
    this.connection = new RedisConnection({
      connection,
      logger,
      connectTimeoutMs: 20_000,
      ...limits,
    });
    const options = { ...PATIENT, ...jobs };
    const { driver, engine } = createJobsEngine({ connection: this.connection, prefix, options });
    this.driver = driver.queue(queue);
    const { concurrency = 10, leaseMs = 1_500 } = setup.loop ?? {};
    const target = { queue, slots: concurrency, leaseMs, attempts: 1_000 };
    this.loop = new ClaimLoop({
      name: queue,
      source: engine.source(target),
      handler: (message, context) => this.run(message, context),
      options: { ...setup.loop, concurrency, leaseMs },
      logger,
    });
    this.promoter = new Promoter({ logger });
    for (const task of engine.upkeep(target)) this.promoter.add(task);
  }

  get begun(): number {
    return this.runs.size;
  }

  start(): this {
    this.promoter.start();
    this.loop.start();
    return this;
  }

  async stop(graceMs = 0): Promise<void> {
    await this.loop.drain(graceMs);
    await this.promoter.stop();
    await this.connection.close();
  }

  private run(...[message, context]: Parameters<Handler>): unknown {
    this.runs.set(message.id, (this.runs.get(message.id) ?? 0) + 1);
    return this.setup.handler?.(message, context);
  }
}
