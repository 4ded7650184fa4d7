import { Inject, Injectable } from '@nestjs/common';
import {
  defineQueue,
  InjectQueue,
  type Job,
  JobDriver,
  Process,
  type ProcessContext,
  Processor,
  type QueueOf,
  QueueService,
  RedisQueueModule,
  UnrecoverableError,
} from '../../lib/index.js';
import { eventually, options, RecordingLogger, Signal, start } from './fixture.js';

interface EmailJobs {
  welcome: { userId: string };
  digest: { day: string };
  broken: { reason: string };
}

const emails = defineQueue<EmailJobs>({ engine: 'jobs', name: 'emails', concurrency: 3 });

@Injectable()
class Mailer {
  readonly sent: string[] = [];
}

@emails.Processor({ leaseMs: 10_000 })
class EmailProcessor {
  constructor(@Inject(Mailer) private readonly mailer: Mailer) {}

  @emails.Process('welcome')
  welcome(job: Job<EmailJobs['welcome']>, context: ProcessContext): string {
    this.mailer.sent.push(job.payload.userId);
    return `fence ${context.fence > 0}, attempt ${context.attempt}`;
  }

  @emails.Process('digest')
  async digest(job: Job<EmailJobs['digest']>): Promise<{ sent: string }> {
    await Promise.resolve();
    return { sent: job.payload.day };
  }

  @emails.Process('broken')
  broken(job: Job<EmailJobs['broken']>): never {
    throw new UnrecoverableError(job.payload.reason);
  }
}

@Injectable()
class Producer {
  constructor(
    readonly queues: QueueService,
    @InjectQueue(emails) readonly queue: QueueOf<typeof emails>,
  ) {}
}

async function application(more = {}) {
  const logger = new RecordingLogger();
  const app = await start({
    imports: [
      RedisQueueModule.forRoot(options({ logger, ...more })),
      RedisQueueModule.forFeature([emails]),
    ],
    providers: [Mailer, EmailProcessor, Producer],
  });
  const { queue, queues } = app.get(Producer);
  const done = (id: string) => async () => (await queue.get(id))?.status === 'done';
  return { app, logger, queue, queues, done, mailer: app.get(Mailer) };
}

describe('a typed queue', () => {
  it('runs each job in the method of its type and keeps what it returns', async () => {
    const { queue, done, mailer } = await application();
    const welcome = await queue.add('welcome', { userId: '7' });
    const digest = await queue.add('digest', { day: 'monday' });
    await eventually(done(welcome.id));
    await eventually(done(digest.id));
    expect(mailer.sent).toEqual(['7']);
    expect((await queue.get(welcome.id))?.result).toBe('fence true, attempt 1');
    expect((await queue.get(digest.id))?.result).toEqual({ sent: 'monday' });
  });

  it('takes jobs by definition, by name and many at once', async () => {
    const { queues, queue, done, mailer } = await application();
    const results = [
      await queues.enqueue(emails, 'welcome', { userId: 'a' }, { priority: 10, delayMs: 20 }),
      await queues.enqueue('emails', 'welcome', { userId: 'b' }),
      ...(await queues.enqueueMany(emails, [{ type: 'welcome', payload: { userId: 'c' } }])),
      ...(await queues.enqueueMany('emails', [{ type: 'welcome', payload: { userId: 'd' } }])),
      ...(await queue.addMany([{ type: 'welcome', payload: { userId: 'e' } }])),
    ];
    for (const { id, created } of results) {
      expect(created).toBe(true);
      await eventually(done(id));
    }
    expect([...mailer.sent].sort()).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(await queues.stats(emails)).toMatchObject({ done: 5, pending: 0 });
    expect(await queues.stats('emails')).toEqual(await queue.stats());
  });

  it('keeps a failed job, lists it, and runs it again on demand', async () => {
    const { queue, queues } = await application();
    const { id } = await queue.add('broken', { reason: 'no such address' });
    await eventually(async () => (await queue.get(id))?.status === 'failed');
    const page = await queues.queue(emails).list({ status: 'failed' });
    expect(page).toMatchObject({ total: 1, jobs: [{ id, attempts: 1 }] });
    expect(page.jobs[0]?.lastError).toContain('no such address');
    await queue.retry(id);
    await eventually(async () => (await queue.get(id))?.attempts === 2);
  });

  it('pauses, resumes and cancels', async () => {
    const { queue, done } = await application();
    await queue.pause();
    expect(await queue.stats()).toMatchObject({ paused: true });
    const later = await queue.add('welcome', { userId: '8' }, { delayMs: 600_000 });
    const now = await queue.add('welcome', { userId: '9' });
    await queue.cancel(later.id);
    expect((await queue.get(later.id))?.status).toBe('cancelled');
    expect((await queue.get(now.id))?.status).toBe('pending');
    await queue.resume();
    await eventually(done(now.id));
  });

  it('tells what its loops, its connection and its upkeep are doing', async () => {
    const { queue, queues, logger, done } = await application();
    const { id } = await queue.add('digest', { day: 'friday' });
    await eventually(done(id));
    await eventually(() => queues.health().upkeep[0]?.lastRunAt);
    const health = queues.health();
    expect(health).toMatchObject({
      instance: 'default',
      role: 'both',
      connected: { jobs: true },
      loops: [
        {
          processor: 'EmailProcessor',
          engine: 'jobs',
          queue: 'emails',
          types: ['welcome', 'digest', 'broken'],
          slots: 3,
          lastError: null,
        },
      ],
    });
    expect(health.loops[0]?.lastClaimAt).toBeGreaterThan(0);
    expect(health.upkeep[0]?.sinceRunMs).toBeGreaterThanOrEqual(0);
    expect(logger.lines.filter((line) => line.includes('EmailProcessor'))).toEqual([
      'EmailProcessor claims welcome, digest, broken from the jobs queue "emails", concurrency 3',
    ]);
  });

  it('is open to the verbs of the driver too', async () => {
    const { app } = await application();
    const driver = app.get(JobDriver);
    expect(driver.name).toBe('default');
    const { id } = await driver.enqueue({ type: 'by hand', payload: [1] });
    const [job] = await driver.dequeue({ waitMs: 0 });
    expect(job).toMatchObject({ id, payload: [1] });
    await driver.ack(job);
  });
});

describe('settings', () => {
  it('come from the processor, then the definition, then the application', async () => {
    const { app, queues } = await application({ processors: { concurrency: 9, prefetch: 2 } });
    expect(app).toBeDefined();
    expect(queues.health().loops[0]).toMatchObject({ slots: 3 });
  });

  it('of the application hold where nothing else does', async () => {
    const attempts = new Signal<number>();
    @Processor({ engine: 'jobs', queue: 'plain' })
    class Plain {
      @Process('try') attempt(job: Job, { attempt }: ProcessContext): void {
        if (attempt === 2) attempts.resolve(attempt);
        throw new Error(`run ${job.attempt}`);
      }
    }
    const backoff = { type: 'fixed', delayMs: 5 } as const;
    const app = await start({
      imports: [
        RedisQueueModule.forRoot(
          options({ processors: { concurrency: 4, retry: { attempts: 2, backoff } } }),
        ),
      ],
      providers: [Plain],
    });
    const queues = app.get(QueueService);
    expect(queues.health().loops[0]).toMatchObject({ slots: 4 });
    const { id } = await queues.enqueue('plain', 'try', null);
    expect(await attempts.promise).toBe(2);
    await eventually(async () => (await queues.queue('plain').get(id))?.status === 'failed');
  });

  it.each([
    [{ concurrency: 0 }, 'Wrong.concurrency'],
    [{ leaseMs: '5' }, 'Wrong.leaseMs'],
    [{ retry: { attempts: 1.5 } }, 'Wrong.retry.attempts'],
    [{ retry: { backoff: { type: 'linear' } } }, 'Wrong.retry.backoff.type'],
  ])('that are wrong stop the start, naming class and option: %j', async (settings, option) => {
    @Processor({ engine: 'jobs', queue: 'plain', ...(settings as object) })
    class Wrong {
      @Process() run(): void {}
    }
    const starting = start({
      imports: [RedisQueueModule.forRoot(options())],
      providers: [Wrong],
    });
    await expect(starting).rejects.toMatchObject({ name: 'InvalidOptionError', option });
  });
});
