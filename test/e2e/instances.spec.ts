import { Injectable } from '@nestjs/common';
import {
  defineQueue,
  getEngineToken,
  getQueueServiceToken,
  getQueueToken,
  InjectQueue,
  type Job,
  JobDriver,
  type JobQueue,
  Process,
  Processor,
  type QueueOf,
  QueueService,
  RedisQueueModule,
} from '../../lib/index.js';
import { compile, eventually, options, RecordingLogger, start } from './fixture.js';

interface Jobs {
  note: string;
}
const notes = defineQueue<Jobs>({ engine: 'jobs', name: 'notes' });

/** A processor for one instance that remembers what it ran; a class of its own each time. */
function recorder(instance?: string) {
  const ran: string[] = [];
  @notes.Processor({ ...(instance && { instance }) })
  class Recorder {
    @notes.Process('note') note(job: Job<string>): void {
      ran.push(job.payload);
    }
  }
  return { ran, Recorder };
}

describe('named instances', () => {
  it('keep their queues, processors and services apart', async () => {
    @Injectable()
    class Producer {
      constructor(
        @InjectQueue(notes) readonly first: QueueOf<typeof notes>,
        @InjectQueue(notes, 'second') readonly second: QueueOf<typeof notes>,
      ) {}
    }
    const one = recorder();
    const two = recorder('second');
    const app = await start({
      imports: [
        RedisQueueModule.forRoot(options()),
        RedisQueueModule.forRoot(options({ name: 'second' })),
        RedisQueueModule.forFeature([notes]),
        RedisQueueModule.forFeature([{ engine: 'jobs', name: 'notes' }], 'second'),
      ],
      providers: [Producer, one.Recorder, two.Recorder],
    });
    const { first, second } = app.get(Producer);
    await first.add('note', 'a');
    await second.add('note', 'b');
    await eventually(() => one.ran.length + two.ran.length === 2);
    expect([one.ran, two.ran]).toEqual([['a'], ['b']]);

    const service: QueueService = app.get(getQueueServiceToken('second'));
    await eventually(async () => (await service.stats('notes')).done === 1);
    expect(service.health()).toMatchObject({ instance: 'second', loops: [{ queue: 'notes' }] });
    expect(app.get(QueueService).health()).toMatchObject({ instance: 'default' });
    const driver: JobDriver = app.get(getEngineToken('jobs', 'second'));
    expect(driver).not.toBe(app.get(JobDriver));
    expect(app.get(getEngineToken('jobs'))).toBe(app.get(JobDriver));
    expect((await driver.queue('notes').stats()).done).toBe(1);
  });

  it('work without a default one', async () => {
    const { ran, Recorder } = recorder('only');
    const app = await start({
      imports: [
        RedisQueueModule.forRoot(options({ name: 'only' })),
        RedisQueueModule.forFeature([notes], 'only'),
      ],
      providers: [Recorder],
    });
    const queue: JobQueue = app.get(getQueueToken(notes, 'only'), { strict: false });
    await queue.add('note', 'x');
    await eventually(() => ran.length === 1);
  });

  it('of one name stop the start, naming it', async () => {
    const twice = [1, 2].map(() => RedisQueueModule.forRoot(options({ name: 'twin' })));
    await expect(compile({ imports: twice })).rejects.toThrow(/name: .*2 times.*"twin"/);
    const defaults = [1, 2].map(() => RedisQueueModule.forRoot(options()));
    await expect(compile({ imports: defaults })).rejects.toThrow(/name: .*"default"/);
  });

  it('are one when one and the same forRoot is imported in several places', async () => {
    const root = RedisQueueModule.forRoot(options());
    const { ran, Recorder } = recorder();
    const app = await start({ imports: [root, root], providers: [Recorder] });
    const queues = app.get(QueueService);
    await queues.enqueue(notes, 'note', 'once');
    await eventually(() => ran.length === 1);
    expect(queues.health().loops).toHaveLength(1);
  });

  it('that do not exist stop the start, naming the class', async () => {
    const { Recorder } = recorder('third');
    const starting = start({
      imports: [RedisQueueModule.forRoot(options())],
      providers: [Recorder],
    });
    await expect(starting).rejects.toThrow(/Recorder.*"third".*known: default/);
  });
});

describe('two applications in one process', () => {
  it('share nothing, and each survives the end of the other', async () => {
    const one = recorder();
    const two = recorder();
    const imports = () => [RedisQueueModule.forRoot(options())];
    const first = await start({ imports: imports(), providers: [one.Recorder] });
    const second = await start({ imports: imports(), providers: [two.Recorder] });
    await first.get(QueueService).enqueue(notes, 'note', 'first');
    await second.get(QueueService).enqueue(notes, 'note', 'second');
    await eventually(() => one.ran.length + two.ran.length === 2);
    expect([one.ran, two.ran]).toEqual([['first'], ['second']]);
    await first.close();
    await second.get(QueueService).enqueue(notes, 'note', 'still there');
    await eventually(() => two.ran.length === 2);
  });

  it('of one class and one queue share the work', async () => {
    const { ran, Recorder } = recorder();
    const root = options();
    const apps = [1, 2].map(() =>
      start({ imports: [RedisQueueModule.forRoot(root)], providers: [Recorder] }),
    );
    const [first] = await Promise.all(apps);
    const jobs = Array.from({ length: 40 }, (_, i) => ({ type: 'note', payload: `${i}` }) as const);
    await first.get(QueueService).enqueueMany(notes, jobs);
    await eventually(() => ran.length >= 40);
    expect(new Set(ran).size).toBe(40);
    expect(ran).toHaveLength(40);
  });
});

describe('a process that only produces', () => {
  it('starts no processor and no upkeep, and says so once', async () => {
    const logger = new RecordingLogger();
    const { ran, Recorder } = recorder();
    const app = await start({
      imports: [RedisQueueModule.forRoot(options({ role: 'producer', logger }))],
      providers: [Recorder],
    });
    const queues = app.get(QueueService);
    await queues.enqueue(notes, 'note', 'waits');
    expect(queues.health()).toMatchObject({ role: 'producer', loops: [], upkeep: [] });
    expect(logger.lines.filter((line) => line.includes('producer'))).toEqual([
      'role producer: 1 processor(s) and upkeep are not started',
    ]);
    expect(await queues.stats(notes)).toMatchObject({ pending: 1, running: 0 });
    expect(ran).toEqual([]);
  });

  it('is the counterpart of a worker, which warns when there is nothing to do', async () => {
    const logger = new RecordingLogger();
    await start({ imports: [RedisQueueModule.forRoot(options({ role: 'worker', logger }))] });
    expect(logger.lines).toContain('warn: role worker: there is no @Processor to start');
  });
});

describe('sharing a queue', () => {
  it('gives each class its own types, and leaves alone a type that nobody handles', async () => {
    const ran: string[] = [];
    @Processor({ engine: 'jobs', queue: 'shared', concurrency: 2 })
    class Left {
      @Process('left') left(): void {
        ran.push('left');
      }
    }
    @Processor({ engine: 'jobs', queue: 'shared' })
    class Right {
      @Process('right') right(): void {
        ran.push('right');
      }
    }
    const app = await start({
      imports: [RedisQueueModule.forRoot(options())],
      providers: [Left, Right],
    });
    const queues = app.get(QueueService);
    const types = Array.from({ length: 30 }, (_, i) => ['left', 'nobody', 'right'][i % 3]);
    await queues.enqueueMany(
      'shared',
      types.map((type) => ({ type, payload: null })),
    );
    await eventually(async () => (await queues.stats('shared')).done === 20);
    expect(await queues.stats('shared')).toMatchObject({ pending: 10, running: 0, failed: 0 });
    expect(ran.filter((side) => side === 'left')).toHaveLength(10);
    expect(queues.health().loops.map(({ types: own, slots }) => [own, slots])).toEqual([
      [['left'], 2],
      [['right'], 1],
    ]);
  });

  it('with one class in two modules stops the start, naming both', async () => {
    const { Recorder } = recorder();
    class A {}
    class B {}
    const starting = start({
      imports: [
        RedisQueueModule.forRoot(options()),
        { module: A, providers: [Recorder] },
        { module: B, providers: [Recorder] },
      ],
    });
    await expect(starting).rejects.toMatchObject({
      code: 'PROCESSOR_CONFLICT',
      message: expect.stringMatching(/Recorder is provided twice: in A and in B/) as string,
    });
  });

  it('starts beside providers of every kind', async () => {
    const { ran, Recorder } = recorder();
    const app = await start({
      imports: [RedisQueueModule.forRoot(options())],
      providers: [
        { provide: 'null', useValue: null },
        { provide: 'bare', useValue: Object.create(null) as object },
        { provide: 'number', useFactory: () => 7 },
        { provide: 'recorder', useFactory: () => new Recorder() },
        { provide: 'alias', useExisting: 'recorder' },
      ],
    });
    await app.get(QueueService).enqueue(notes, 'note', 'made by a factory');
    await eventually(() => ran.length === 1);
  });
});
