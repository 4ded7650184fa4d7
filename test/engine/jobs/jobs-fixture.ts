import { Redis } from 'ioredis';
import {
  createJobsEngine,
  type ClaimedJob,
  type DequeueOptions,
  type JobDriver,
  type JobsEngine,
  type JobsOptions,
  type NewJob,
} from '../../../lib/jobs/index.js';
import { newId } from '../../../lib/delivery/index.js';
import { RedisConnection, encodeName } from '../../../lib/redis/index.js';
import { eventually } from '../../support/eventually.js';
import { startServer, type ServerOptions, type TestServer } from '../../support/redis-server.js';
import { REDIS_URL, testPrefix, type TestPrefix } from '../../support/test-prefix.js';

/** A queue as one process sees it: its driver, its engine, and one run of its upkeep. */
export interface OpenQueue {
  readonly driver: JobDriver;
  readonly engine: JobsEngine;
  /** One run of upkeep, as the Promoter makes it. */
  readonly upkeep: () => Promise<{ readonly nextInMs: number }>;
  /** Resolves once a claim of this process waits on the doorbell. */
  readonly untilWaiting: () => Promise<void>;
}

/** The queue of the running test; upkeep runs only when the test says so. */
export class JobsFixture {
  redis!: Redis;
  /** A fresh name for every test. */
  queue = '';
  driver!: JobDriver;
  engine!: JobsEngine;
  /** Set by tests that damage their queue by hand and leave it so. */
  isDamaged = false;
  url = REDIS_URL;
  private scope!: TestPrefix;
  private server: TestServer | undefined;
  private connections: RedisConnection[] = [];

  constructor(
    private readonly word: string,
    private readonly ownServer?: ServerOptions,
  ) {}

  async begin(): Promise<void> {
    if (this.ownServer) this.server = await startServer(this.ownServer);
    this.url = this.server?.url ?? REDIS_URL;
    this.scope = testPrefix(this.word, this.url);
    this.redis = new Redis(this.url);
  }

  get prefix(): string {
    return this.scope.prefix;
  }

  async open(): Promise<void> {
    this.queue = `q${newId()}`;
    this.isDamaged = false;
    const { driver, engine } = this.process();
    Object.assign(this, { driver, engine });
    return Promise.resolve();
  }

  /** Every test ends with a queue whose invariants hold. */
  async close(): Promise<void> {
    const findings = this.isDamaged ? [] : await this.driver.audit();
    await Promise.all(this.connections.splice(0).map((connection) => connection.close()));
    expect(findings).toEqual([]);
  }

  async end(): Promise<void> {
    await this.scope.cleanUp();
    this.redis.disconnect();
    await this.server?.stop();
  }

  /** The same queue as another process sees it, over a connection of its own. */
  process(options: JobsOptions = {}, queue = this.queue): OpenQueue {
    const name = newId();
    const connection = new RedisConnection({ connection: { url: this.url }, name });
    this.connections.push(connection);
    const { engine, driver } = createJobsEngine({ connection, prefix: this.prefix, options });
    const [task] = engine.upkeep({ queue, slots: 1, leaseMs: 1, attempts: 3 });
    return {
      engine,
      driver: driver.queue(queue),
      upkeep: () => task.run(),
      untilWaiting: async () => void (await eventually(() => this.isBlocked(name))),
    };
  }

  upkeep(): Promise<{ readonly nextInMs: number }> {
    const [task] = this.engine.upkeep({ queue: this.queue, slots: 1, leaseMs: 1, attempts: 3 });
    return task.run();
  }

  /** How many scripts the server has run; on a server of its own these are the test's. */
  async scriptsRun(): Promise<number> {
    return (await this.callsOf('evalsha')) + (await this.callsOf('eval'));
  }

  /** How often the server has run a command, within scripts and without. */
  async callsOf(command: string): Promise<number> {
    const stats = await this.redis.info('commandstats');
    return Number(new RegExp(`cmdstat_${command}:calls=(\\d+)`).exec(stats)?.[1] ?? 0);
  }

  key(...parts: string[]): string {
    return [`${this.prefix}:jobs:{${encodeName(this.queue)}}`, ...parts].join(':');
  }

  /** The keys of this test's queue, without the common beginning. */
  async keys(): Promise<string[]> {
    const base = this.key();
    const keys = await this.scope.keys();
    return keys
      .filter((key) => key.startsWith(base))
      .map((key) => key.slice(base.length + 1))
      .sort();
  }

  /** Every key of the queue with its content, to prove that nothing was changed. */
  async snapshot(): Promise<Record<string, string>> {
    const found: Record<string, string> = {};
    const parts = await this.keys();
    // what a call answered is kept for its caller alone
    for (const part of parts.filter((key) => !key.startsWith('call:')))
      found[part] = String(
        await this.redis.dumpBuffer(this.key(part)).then((b) => b.toString('hex')),
      );
    return found;
  }

  async add(job: Partial<NewJob> = {}): Promise<string> {
    return (await this.driver.enqueue({ type: 'work', payload: null, ...job })).id;
  }

  /** What is claimable now, without a wait. */
  take(options: DequeueOptions = {}): Promise<ClaimedJob[]> {
    return this.driver.dequeue({ waitMs: 0, limit: 500, ...options });
  }

  async takeOne(options: DequeueOptions = {}): Promise<ClaimedJob> {
    const [job] = await this.take({ ...options, limit: 1 });
    if (job === undefined) throw new Error('nothing was claimable');
    return job;
  }

  async addAndTake(job: Partial<NewJob> = {}): Promise<ClaimedJob> {
    await this.add(job);
    return this.takeOne();
  }

  /** Ends the leases of all running jobs, as if the time had passed. */
  lapse(): Promise<void> {
    return this.backdate('running', 1);
  }

  /** Makes every scheduled job due now, all in their order. */
  makeDue(): Promise<void> {
    return this.backdate('scheduled', 1);
  }

  /** Sets all scores of a set, in pages. */
  async backdate(set: string, score: number): Promise<void> {
    const members = await this.redis.zrange(this.key(set), '0', '-1');
    for (let at = 0; at < members.length; at += 1_000) {
      const scores = members.slice(at, at + 1_000).flatMap((member) => [String(score), member]);
      await this.redis.call('ZADD', this.key(set), ...scores);
    }
  }

  /** The server's clock. */
  async now(): Promise<number> {
    const [seconds, micros] = await this.redis.time();
    return Number(seconds) * 1_000 + Math.floor(Number(micros) / 1_000);
  }

  private async isBlocked(name: string): Promise<boolean> {
    const clients = (await this.redis.client('LIST')) as string;
    return clients.split('\n').some((line) => line.includes(name) && / flags=b /.test(line));
  }

  async statusOf(id: string): Promise<string | undefined> {
    return (await this.driver.get(id))?.status;
  }
}

/** A queue of its own for every test of the file, on the shared server or on one of its own. */
export function useJobs(word: string, ownServer?: ServerOptions): JobsFixture {
  const jobs = new JobsFixture(word, ownServer);
  beforeAll(() => jobs.begin());
  beforeEach(() => jobs.open());
  afterEach(() => jobs.close());
  afterAll(() => jobs.end());
  return jobs;
}

/** What a call rejects with, as far as tests compare it. */
export async function refusal(call: () => unknown): Promise<{ code?: string; option?: string }> {
  try {
    await call();
  } catch (error) {
    const { code, option } = error as { code?: string; option?: string };
    return option === undefined ? { code } : { code, option };
  }
  return {};
}

/** The ids of jobs. */
export function idsOf(jobs: readonly { readonly id: string }[]): string[] {
  return jobs.map(({ id }) => id);
}

/** The payloads of jobs. */
export function payloadsOf(jobs: readonly { readonly payload: unknown }[]): unknown[] {
  return jobs.map(({ payload }) => payload);
}
