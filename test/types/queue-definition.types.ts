// Checked by `npm run typecheck`: every line under an @ts-expect-error must not compile.
import {
  defineQueue,
  InjectQueue,
  type Job,
  Process,
  type ProcessContext,
  Processor,
  type QueueOf,
  type QueueService,
} from 'nest-redis-queue';

interface EmailJobs {
  welcome: { userId: string };
  digest: { day: string };
}

const emails = defineQueue<EmailJobs>({ engine: 'jobs', name: 'emails', concurrency: 2 });

// @ts-expect-error: there is no such engine
defineQueue<EmailJobs>({ engine: 'stones', name: 'emails' });
// @ts-expect-error: there is no such option
defineQueue<EmailJobs>({ engine: 'jobs', name: 'emails', concurency: 2 });

@emails.Processor({ concurrency: 20, retry: { attempts: 5 } })
export class EmailProcessor {
  @emails.Process('welcome')
  async welcome(job: Job<EmailJobs['welcome']>, context: ProcessContext): Promise<string> {
    await context.extend();
    return job.payload.userId;
  }

  @emails.Process('digest')
  digest(job: Job<EmailJobs['digest']>): { sent: string } {
    return { sent: job.payload.day };
  }

  @emails.Process('digest')
  withoutParameters(): void {}

  // @ts-expect-error: 'welcom' is not in the map
  @emails.Process('welcom')
  misspelt(job: Job<EmailJobs['welcome']>): void {
    void job;
  }

  // @ts-expect-error: a welcome job carries another payload
  @emails.Process('welcome')
  mixedUp(job: Job<EmailJobs['digest']>): void {
    void job;
  }

  // @ts-expect-error: a handler has two parameters, and the second is the context
  @emails.Process('welcome')
  wrongContext(job: Job<EmailJobs['welcome']>, context: number): void {
    void [job, context];
  }
}

// @ts-expect-error: there is no such option
@emails.Processor({ concurency: 20 })
export class MisspeltOption {}

@emails.Processor()
export class EverythingProcessor {
  @emails.Process()
  any(job: Job<EmailJobs['welcome'] | EmailJobs['digest']>): unknown {
    return job.payload;
  }

  // @ts-expect-error: everything is more than one type
  @emails.Process()
  some(job: Job<EmailJobs['welcome']>): void {
    void job;
  }
}

@Processor({ engine: 'jobs', queue: 'emails', concurrency: 20 })
export class PlainProcessor {
  @Process('welcome') welcome(job: Job): unknown {
    return job.payload;
  }

  @Process('digest') digest(job: Job<EmailJobs['digest']>): string {
    return job.payload.day;
  }
}

// @ts-expect-error: there is no such engine
@Processor({ engine: 'stones', queue: 'emails' })
export class UnknownEngine {}

export class Producer {
  constructor(
    private readonly queues: QueueService,
    @InjectQueue(emails) private readonly queue: QueueOf<typeof emails>,
  ) {}

  async produce(): Promise<void> {
    await this.queue.add('welcome', { userId: '7' });
    await this.queue.addMany([
      { type: 'welcome', payload: { userId: '7' }, priority: 1 },
      { type: 'digest', payload: { day: 'monday' } },
    ]);
    await this.queues.enqueue(emails, 'welcome', { userId: '7' }, { priority: 10 });
    await this.queues.enqueue('emails', 'welcome', { userId: 7 });
    await this.queues.enqueueMany(emails, [{ type: 'digest', payload: { day: 'monday' } }]);
    await this.queues.queue(emails).add('digest', { day: 'monday' });

    // @ts-expect-error: 'welcom' is not in the map
    await this.queue.add('welcom', { userId: '7' });
    // @ts-expect-error: a welcome job carries another payload
    await this.queue.add('welcome', { day: 'monday' });
    // @ts-expect-error: a welcome job carries another payload
    await this.queue.addMany([{ type: 'welcome', payload: { day: 'monday' } }]);
    // @ts-expect-error: 'welcom' is not in the map
    await this.queues.enqueue(emails, 'welcom', { userId: '7' });
    // @ts-expect-error: a welcome job carries another payload
    await this.queues.enqueue(emails, 'welcome', { day: 'monday' });
    // @ts-expect-error: a welcome job carries another payload
    await this.queues.enqueueMany(emails, [{ type: 'welcome', payload: { day: 'monday' } }]);
    // @ts-expect-error: there is no such option
    await this.queue.add('welcome', { userId: '7' }, { delay: 5 });
  }
}
