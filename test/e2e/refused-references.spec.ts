import { Injectable } from '@nestjs/common';
import { InjectQueue, type Job, Process, QueueService, RedisQueueModule } from '../../lib/index.js';
import { compile, options, startWith } from './fixture.js';

const WRONG = [undefined, null, 5, '', {}, [], { engine: 'jobs' }, { engine: 'x', name: 'y' }];

describe('a queue that is none', () => {
  it.each(WRONG)('%j is refused by every call of the service', async (queue) => {
    const queues = (await startWith(options())).get(QueueService);
    const name = queue as string;
    const calls = [
      () => queues.enqueue(name, 'any', 1),
      () => queues.enqueueMany(name, [{ type: 'any', payload: 1 }]),
      () => queues.queue(name),
      () => queues.stats(name),
    ];
    for (const call of calls) {
      const outcome = Promise.resolve().then<unknown>(call);
      await expect(outcome).rejects.toMatchObject({ code: 'INVALID_OPTION' });
    }
  });

  it.each(WRONG)('%j is refused by forFeature and @InjectQueue', (queue) => {
    const wrong = queue as string;
    expect(() => RedisQueueModule.forFeature([wrong])).toThrow(/^queue/);
    expect(() => InjectQueue(wrong)).toThrow(/^queue/);
  });

  it('forFeature wants a list and the name of a forRoot', () => {
    expect(() => RedisQueueModule.forFeature('q' as never)).toThrow(/^forFeature/);
    expect(() => RedisQueueModule.forFeature(['q'], null as never)).toThrow(/^forFeature/);
  });
});

describe('options of a job', () => {
  it.each([null, 5, [], { type: 'b' }, { payload: 1 }, { delay: 5 }])(
    '%j are refused before a write',
    async (wrong) => {
      const queues = (await startWith(options())).get(QueueService);
      const outcome = queues.enqueue('q', 'a', 1, wrong as never);
      await expect(outcome).rejects.toMatchObject({ code: 'INVALID_OPTION' });
      expect((await queues.stats('q')).pending).toBe(0);
    },
  );
});

it('forRootAsync refuses what it does not know', async () => {
  const useFactory = () => ({ ...options(), name: 'elsewhere' });
  expect(() => RedisQueueModule.forRootAsync({ useFactory, bogus: 1 } as never)).toThrow(/bogus/);
  const app = compile({ imports: [RedisQueueModule.forRootAsync({ useFactory })] });
  await expect(app).rejects.toThrow(/options\.name/);
});

it('handlers in a class that is no processor stop the start with its name', async () => {
  @Injectable()
  class Forgotten {
    @Process('welcome') welcome(job: Job): void {
      void job;
    }
  }
  await expect(startWith(options(), Forgotten)).rejects.toThrow(/Forgotten.*no @Processor/);
});
