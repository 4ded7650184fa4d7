import { Test, type TestingModule } from '@nestjs/testing';
import { Redis } from 'ioredis';
import {
  JobDriver,
  type Job,
  type JobQueue,
  Process,
  Processor,
  QueueService,
  RedisQueueModule,
} from '../../../lib/index.js';
import { RecordingLogger } from '../../contract/logs.js';
import { signalled } from '../../contract/waiting.js';
import { eventually } from '../../support/eventually.js';
import { REDIS_URL, testPrefix } from '../../support/test-prefix.js';

const { prefix, keys, cleanUp } = testPrefix('client-prefix');
const KEY_PREFIX = `${prefix}:app:`; // the client's own, which goes before ours

let gate = signalled();

@Processor({ engine: 'jobs', queue: 'work', concurrency: 4, leaseMs: 60_000 })
class Worker {
  @Process('echo') echo({ payload }: Job): unknown {
    return payload;
  }

  @Process('flaky') flaky({ attempt }: Job): void {
    if (attempt === 1) throw new Error('the first one fails');
  }

  @Process('hopeless') hopeless(): void {
    throw new Error('each one fails');
  }

  @Process('held') held(): Promise<void> {
    return gate.promise;
  }
}

let client: Redis;
let app: TestingModule;
let queue: JobQueue;

beforeAll(async () => {
  client = new Redis(REDIS_URL, { keyPrefix: KEY_PREFIX });
  const root = RedisQueueModule.forRoot({
    connection: { client },
    prefix: 'rq',
    logger: new RecordingLogger(),
    processors: { retry: { attempts: 2, backoff: { type: 'fixed', delayMs: 20 } } },
    jobs: { promoteEveryMs: 100 },
  });
  const builder = Test.createTestingModule({ imports: [root], providers: [Worker] });
  app = await builder.setLogger(new RecordingLogger()).compile();
  await app.init();
  queue = app.get(QueueService).queue('work');
});

afterAll(async () => {
  await app.close();
  await cleanUp();
});

async function untilStatus(id: string, status: string): Promise<void> {
  await eventually(async () => (await queue.get(id))?.status === status, { withinMs: 15_000 });
}

describe("a client's keyPrefix", () => {
  test('adding, running, delays, retries and coalescing work', async () => {
    const { id } = await queue.add('echo', { a: 1 }, { coalesceBy: 'one', priority: 3 });
    const delayed = await queue.add('echo', 'later', { delayMs: 100 });
    const flaky = await queue.add('flaky', null);
    const hopeless = await queue.add('hopeless', null);
    for (const done of [id, delayed.id, flaky.id]) await untilStatus(done, 'done');
    expect(await queue.get(id)).toMatchObject({ result: { a: 1 }, attempts: 1 });
    expect(await queue.get(flaky.id)).toMatchObject({ attempts: 2 });
    await untilStatus(hopeless.id, 'failed');
    await queue.retry(hopeless.id);
    await eventually(async () => (await queue.get(hopeless.id))?.attempts === 3);
  });

  test('cancelling, recovering, pausing, lists and events work', async () => {
    gate = signalled();
    const driver = app.get(JobDriver).queue('work');
    await driver.recordEvents(true);
    const waiting = await queue.add('nobody', null);
    await queue.cancel(waiting.id);
    const held = await queue.add('held', null);
    await untilStatus(held.id, 'running');
    expect(await driver.recoverOrphans({ olderThanMs: 0 })).toBe(1);
    gate.resolve();
    await untilStatus(held.id, 'done');
    expect(await queue.get(held.id)).toMatchObject({ attempts: 2, recoveries: 1 });
    await queue.pause();
    const paused = await queue.add('echo', 'paused');
    expect(await queue.stats()).toMatchObject({ pending: 1, cancelled: 1, paused: true });
    await queue.resume();
    await untilStatus(paused.id, 'done');
    expect((await queue.list({ status: 'done' })).jobs.length).toBeGreaterThan(1);
    expect(await driver.audit({ repair: true })).toEqual([]);
  });

  test('is in front of every key', async () => {
    const direct = new Redis(REDIS_URL);
    const all = await direct.keys('*jobs:{work}*').finally(() => direct.disconnect());
    const ours = await keys();
    expect(ours.length).toBeGreaterThan(8);
    expect(ours.filter((key) => !key.startsWith(`${KEY_PREFIX}rq:jobs:{work}:`))).toEqual([]);
    expect(all.filter((key) => key.startsWith('rq:'))).toEqual([]);
  });
});
