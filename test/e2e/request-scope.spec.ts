import { Inject, Injectable, type OnModuleInit, Scope } from '@nestjs/common';
import { REQUEST } from '@nestjs/core';
import {
  type Job,
  Process,
  type ProcessContext,
  Processor,
  QueueService,
  RedisQueueModule,
} from '../../lib/index.js';
import { eventually, options, start } from './fixture.js';

const seen: { id: string; given: string; context: object; processor: object }[] = [];
beforeEach(() => seen.splice(0));

@Injectable({ scope: Scope.REQUEST })
class JobContext {
  constructor(@Inject(REQUEST) readonly job: Job) {}
}

@Injectable()
class Service {
  constructor(@Inject(JobContext) readonly context: JobContext) {}
}

@Processor({ engine: 'jobs', queue: 'scoped', concurrency: 20 })
class Scoped {
  constructor(@Inject(Service) private readonly service: Service) {}

  @Process('look')
  async look(job: Job, { signal }: ProcessContext): Promise<boolean> {
    const { context } = this.service;
    seen.push({ id: job.id, given: context.job.id, context, processor: this });
    await new Promise((resolve) => setTimeout(resolve, 5));
    return signal.aborted;
  }
}

@Processor({ engine: 'jobs', queue: 'single', concurrency: 20 })
class Single implements OnModuleInit {
  static readonly instances = new Set<object>();
  private service: Service | undefined;
  isReady = false;

  onModuleInit(): void {
    this.isReady = true;
  }

  @Process('look') look(): boolean {
    Single.instances.add(this);
    return this.isReady && this.service === undefined;
  }
}

function application(...providers: (new (...args: never[]) => object)[]) {
  return start({ imports: [RedisQueueModule.forRoot(options())], providers });
}

describe('a processor that needs something request-scoped', () => {
  it('is made anew for each job, with the job to inject, however deep the need is', async () => {
    const app = await application(JobContext, Service, Scoped);
    const queues = app.get(QueueService);
    const jobs = Array.from({ length: 20 }, (_, i) => ({ type: 'look', payload: i }));
    await queues.enqueueMany('scoped', jobs);
    await eventually(async () => (await queues.stats('scoped')).done === 20);
    expect(new Set(seen.map(({ id }) => id)).size).toBe(20);
    expect(seen.filter(({ id, given }) => id !== given)).toEqual([]);
    expect(new Set(seen.map(({ context }) => context)).size).toBe(20);
    expect(new Set(seen.map(({ processor }) => processor)).size).toBe(20);
  });

  it('fails the run when it cannot be made, and the loop goes on', async () => {
    @Injectable({ scope: Scope.REQUEST })
    class Moody {
      constructor(@Inject(REQUEST) job: Job) {
        if (job.payload === 'bad') throw new Error('not for this one');
      }
    }
    @Processor({ engine: 'jobs', queue: 'moody', retry: { attempts: 1 } })
    class MoodyProcessor {
      constructor(@Inject(Moody) readonly moody: Moody) {}
      @Process() run(): void {}
    }
    const app = await application(Moody, MoodyProcessor);
    const queues = app.get(QueueService);
    const bad = await queues.enqueue('moody', 'any', 'bad');
    const good = await queues.enqueue('moody', 'any', 'good');
    const queue = queues.queue('moody');
    await eventually(async () => (await queue.get(good.id))?.status === 'done');
    const failed = await queue.get(bad.id);
    expect(failed?.status).toBe('failed');
    expect(failed?.lastError).toContain('not for this one');
  });

  it('leaves the others single, with their hooks run', async () => {
    Single.instances.clear();
    const app = await application(Single);
    const queues = app.get(QueueService);
    const ids = await queues.enqueueMany(
      'single',
      Array.from({ length: 20 }, () => ({ type: 'look', payload: null })),
    );
    await eventually(async () => (await queues.stats('single')).done === 20);
    expect([...Single.instances]).toEqual([app.get(Single)]);
    expect((await queues.queue('single').get(ids[0].id))?.result).toBe(true);
  });

  it('of transient scope is refused by name', async () => {
    @Injectable({ scope: Scope.TRANSIENT })
    @Processor({ engine: 'jobs', queue: 'passing' })
    class Passing {
      @Process() run(): void {}
    }
    await expect(application(Passing)).rejects.toThrow(/Passing \(in .*\) is transient/);
  });
});
