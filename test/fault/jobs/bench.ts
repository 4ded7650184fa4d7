import { Redis } from 'ioredis';
import { JobDriver, type JobStats, type NewJob } from '../../../lib/jobs/index.js';
import { newId } from '../../../lib/delivery/index.js';
import { RecordingLogger } from '../../contract/logs.js';
import { eventually } from '../../support/eventually.js';
import { FaultyProxy } from '../../support/faulty-proxy.js';
import { startServer, type ServerOptions, type TestServer } from '../../support/redis-server.js';
import { REDIS_URL, testPrefix } from '../../support/test-prefix.js';
import { Worker, type WorkerSetup } from './worker.js';

type Setup = Omit<WorkerSetup, 'connection' | 'prefix' | 'queue'> & {
  /** Reaches the server past the faulty proxy. */
  readonly direct?: boolean;
};

/** A queue behind a faulty proxy, and a driver of the test's own that bypasses it. */
export class FaultBench {
  server!: Pick<TestServer, 'url' | 'port'> & Partial<TestServer>;
  proxy!: FaultyProxy;
  /** A plain client past the proxy. */
  redis!: Redis;
  driver!: JobDriver;
  prefix = '';
  queue = '';
  private cleanUp: () => Promise<void> = () => Promise.resolve();
  private workers: Worker[] = [];

  constructor(
    private readonly word: string,
    private readonly ownServer?: ServerOptions,
  ) {}

  async begin(): Promise<void> {
    this.server = this.ownServer
      ? await startServer(this.ownServer)
      : { url: REDIS_URL, port: Number(new URL(REDIS_URL).port) };
    const { prefix, cleanUp } = testPrefix(this.word, this.server.url);
    Object.assign(this, { prefix, cleanUp });
    this.redis = new Redis(this.server.url, { retryStrategy: () => 50 });
    this.redis.on('error', () => undefined);
  }

  async open(): Promise<void> {
    this.queue = `q${newId()}`;
    this.proxy = await FaultyProxy.start(this.server.port);
    this.driver = new JobDriver({
      connection: { url: this.server.url },
      connectTimeoutMs: 20_000,
      commandTimeoutMs: 20_000,
      prefix: this.prefix,
      queue: this.queue,
      keepDone: { count: 100_000 },
      promoter: false,
      logger: new RecordingLogger(),
    });
  }

  async close(): Promise<void> {
    this.proxy.cut(); // a reply that was swallowed would leave the rest out of step
    this.proxy.resume();
    await Promise.all(this.workers.splice(0).map((worker) => worker.stop()));
    await this.driver.close();
    await this.proxy.stop();
  }

  async end(): Promise<void> {
    await this.cleanUp();
    this.redis.disconnect();
    await this.server.stop?.();
  }

  /** A started worker, behind the proxy unless it is told otherwise. */
  worker({ direct = false, ...setup }: Setup = {}): Worker {
    const url = direct ? this.server.url : this.proxy.url;
    const { prefix, queue } = this;
    const worker = new Worker({ connection: { url }, prefix, queue, ...setup });
    this.workers.push(worker);
    return worker.start();
  }

  async add(count: number, job: Partial<NewJob> = {}): Promise<string[]> {
    const jobs = Array.from({ length: count }, () => ({ type: 'work', payload: null, ...job }));
    return (await this.driver.enqueueMany(jobs)).map(({ id }) => id);
  }

  /** Resolves once the counters are these. */
  async untilStats(wanted: Partial<JobStats>, withinMs = 20_000): Promise<void> {
    await eventually(async () => expect(await this.driver.stats()).toMatchObject(wanted) ?? true, {
      withinMs,
      everyMs: 20,
    });
  }

  /** How many clients of the server wait in a blocking command. */
  async blockedClients(): Promise<string[]> {
    const clients = (await this.redis.client('LIST')) as string;
    return clients.split('\n').filter((line) => / flags=b /.test(line));
  }

  /**
   * Every job ends well, and none runs twice unless its lease was lost: each attempt but one has
   * ended in a recovery, and without a recovery the handler began once.
   */
  async expectAllDoneOnce(count: number, workers: readonly Worker[], withinMs?: number) {
    const nothingElse = { pending: 0, scheduled: 0, running: 0, failed: 0, cancelled: 0 };
    await this.untilStats({ done: count, ...nothingElse }, withinMs);
    expect(await this.driver.audit()).toEqual([]);
    const records = await this.records('done');
    expect(records).toHaveLength(count);
    for (const { id, attempts, recoveries } of records) {
      const runs = workers.reduce((sum, worker) => sum + (worker.runs.get(id) ?? 0), 0);
      expect({ id, spare: attempts - recoveries }).toEqual({ id, spare: 1 });
      expect(runs).toBeGreaterThanOrEqual(1);
      expect(runs).toBeLessThanOrEqual(attempts);
    }
    return records;
  }

  /** All jobs of a status. */
  async records(status: 'done' | 'failed' | 'running' | 'pending') {
    const found = [];
    let cursor: string | null | undefined;
    do {
      const page = await this.driver.list({ status, limit: 500, ...(cursor ? { cursor } : {}) });
      found.push(...page.jobs);
      cursor = page.next;
    } while (cursor !== null);
    return found;
  }
}

/** A queue of its own for every test of the file, on the shared server or on one of its own. */
export function useFaultBench(word: string, ownServer?: ServerOptions): FaultBench {
  const bench = new FaultBench(word, ownServer);
  beforeAll(() => bench.begin());
  beforeEach(() => bench.open());
  afterEach(() => bench.close());
  afterAll(() => bench.end());
  return bench;
}
