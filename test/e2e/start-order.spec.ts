import {
  Global,
  Injectable,
  Module,
  type OnApplicationBootstrap,
  type OnModuleInit,
  type Type,
} from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { Process, Processor, QueueService, RedisQueueModule } from '../../lib/index.js';
import { compile, eventually, options, pause, RecordingLogger, start } from './fixture.js';

const BACKLOG = 50;
const log: string[] = [];

@Injectable()
class Slow implements OnModuleInit, OnApplicationBootstrap {
  async onModuleInit(): Promise<void> {
    await pause(60);
    log.push('init');
  }

  async onApplicationBootstrap(): Promise<void> {
    await pause(60);
    log.push('bootstrap');
  }
}

@Processor({ engine: 'jobs', queue: 'backlog', concurrency: 10 })
class Worker {
  @Process('work') work(): void {
    log.push('work');
  }
}

/** Options of an application whose queue has jobs waiting already. */
async function withBacklog() {
  const root = options();
  const producer = await start({
    imports: [RedisQueueModule.forRoot({ ...root, role: 'producer' })],
  });
  const jobs = Array.from({ length: BACKLOG }, (_, i) => ({ type: 'work', payload: i }));
  await producer.get(QueueService).enqueueMany('backlog', jobs);
  return root;
}

beforeEach(() => log.splice(0));

const PLACES: [string, (queues: object) => Type<object>][] = [
  [
    'the processor in the root module, imported first',
    (queues) => {
      @Module({ imports: [queues as never], providers: [Slow, Worker] })
      class Root {}
      return Root;
    },
  ],
  [
    'everything in feature modules, the queue module last',
    (queues) => {
      @Module({ providers: [Slow] })
      class SlowModule {}
      @Module({ providers: [Worker] })
      class WorkModule {}
      @Module({ imports: [WorkModule, SlowModule, queues as never] })
      class Root {}
      return Root;
    },
  ],
  [
    'the queue module deep down, what is slow in the root',
    (queues) => {
      @Module({ imports: [queues as never], providers: [Worker] })
      class Deep {}
      @Module({ imports: [Deep] })
      class Middle {}
      @Module({ imports: [Middle], providers: [Slow] })
      class Root {}
      return Root;
    },
  ],
  [
    'what is slow in a global module, the processor deep down',
    (queues) => {
      @Global()
      @Module({ providers: [Slow] })
      class SlowModule {}
      @Module({ providers: [Worker] })
      class Deep {}
      @Module({ imports: [Deep] })
      class Middle {}
      @Module({ imports: [queues as never, Middle, SlowModule] })
      class Root {}
      return Root;
    },
  ],
];

describe('no job is claimed before the whole application has bootstrapped', () => {
  it.each(PLACES)('%s', async (_, rootWith) => {
    const root = await withBacklog();
    await start({ imports: [rootWith(RedisQueueModule.forRoot(root))] });
    await eventually(() => log.filter((entry) => entry === 'work').length === BACKLOG);
    expect(log.slice(0, 2)).toEqual(['init', 'bootstrap']);
  });

  it('as a root module made by NestFactory', async () => {
    const root = await withBacklog();
    const [, rootWith] = PLACES[0];
    const app = await NestFactory.createApplicationContext(
      rootWith(RedisQueueModule.forRoot(root)),
      { logger: new RecordingLogger() },
    );
    await eventually(() => log.length === BACKLOG + 2);
    expect(log.slice(0, 2)).toEqual(['init', 'bootstrap']);
    await app.close();
  });

  it('with init called twice, and then once more by the application', async () => {
    const root = await withBacklog();
    const app = await compile({
      imports: [RedisQueueModule.forRoot(root)],
      providers: [Slow, Worker],
    });
    await app.init();
    await app.init();
    await eventually(() => log.length === BACKLOG + 2);
    expect(app.get(QueueService).health().loops).toHaveLength(1);
  });
});

describe('an application that does not start', () => {
  class Failing implements OnApplicationBootstrap {
    onApplicationBootstrap(): never {
      throw new Error('the database is not there');
    }
  }

  it('claims nothing, and closes', async () => {
    const root = await withBacklog();
    const app = await compile({
      imports: [RedisQueueModule.forRoot(root)],
      providers: [Worker, Failing],
    });
    await expect(app.init()).rejects.toThrow('the database is not there');
    expect(await app.get(QueueService).stats('backlog')).toMatchObject({
      pending: BACKLOG,
      running: 0,
      done: 0,
    });
    // Nest 11 answers with the error of the start.
    await app.close().catch(() => undefined);
    expect(log).toEqual([]);
  });

  it('claims nothing when one of its processors is refused', async () => {
    @Processor({ engine: 'jobs', queue: 'other' })
    class Empty {}
    const root = await withBacklog();
    const app = await compile({
      imports: [RedisQueueModule.forRoot(root)],
      providers: [Worker, Empty],
    });
    await expect(app.init()).rejects.toThrow('has no @Process method');
    expect(await app.get(QueueService).stats('backlog')).toMatchObject({ pending: BACKLOG });
  });

  it('claims nothing when the engine refuses the name of a queue', async () => {
    @Processor({ engine: 'jobs', queue: 'line\nbreak' })
    class Broken {
      @Process() run(): void {}
    }
    const root = await withBacklog();
    const app = await compile({
      imports: [RedisQueueModule.forRoot(root)],
      providers: [Worker, Broken],
    });
    await expect(app.init()).rejects.toMatchObject({ name: 'InvalidOptionError' });
    expect(await app.get(QueueService).stats('backlog')).toMatchObject({ pending: BACKLOG });
  });
});
