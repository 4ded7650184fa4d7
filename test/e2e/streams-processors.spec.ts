import { Injectable } from '@nestjs/common';
import {
  defineQueue,
  InjectQueue,
  Process,
  type ProcessContext,
  Processor,
  type QueueOf,
  QueueService,
  RedisQueueModule,
  type StreamMessage,
  StreamTransport,
} from '../../lib/index.js';
import { compile, eventually, options, RecordingLogger, start, startWith } from './fixture.js';

interface AuditEntry {
  readonly who: string;
  readonly n: number;
}

const audit = defineQueue<AuditEntry>({ engine: 'streams', name: 'audit', concurrency: 4 });
const retry = { attempts: 3, backoff: { type: 'fixed', delayMs: 30 } } as const;

/** What handlers saw. */
@Injectable()
class Seen {
  readonly indexed: string[] = [];
  readonly summed: number[] = [];
  readonly fences: number[] = [];
  readonly queues: string[] = [];
}

@audit.Processor({ group: 'index', retry })
class Indexer {
  constructor(private readonly seen: Seen) {}

  @audit.Process()
  index({ payload, group }: StreamMessage<AuditEntry>, context: ProcessContext): void {
    this.seen.indexed.push(`${group}:${payload.who}:${context.attempt}`);
    this.seen.fences.push(context.fence);
    if (payload.who === 'flaky' && context.attempt < 3) throw new Error('not yet');
    if (payload.who === 'hopeless') throw new Error('never');
  }
}

@Processor({ engine: 'streams', queue: 'audit', group: 'sum', concurrency: 2, maxDeliveries: 5 })
class Summer {
  constructor(private readonly seen: Seen) {}

  @Process()
  sum(message: StreamMessage<AuditEntry>): void {
    this.seen.summed.push(message.payload.n);
  }
}

@Injectable()
class Producer {
  constructor(
    readonly queues: QueueService,
    @InjectQueue(audit) readonly queue: QueueOf<typeof audit>,
    readonly transport: StreamTransport,
  ) {}
}

async function application(more: Parameters<typeof options>[0] = {}) {
  const logger = new RecordingLogger();
  const app = await start({
    imports: [
      RedisQueueModule.forRoot(options({ logger, streams: { blockMs: 200 }, ...more })),
      RedisQueueModule.forFeature([audit]),
    ],
    providers: [Seen, Indexer, Summer, Producer],
  });
  return { app, seen: app.get(Seen), producer: app.get(Producer), logger };
}

describe('processors of the streams engine', () => {
  test('of different groups each see every entry, however it was appended', async () => {
    const { app, seen, producer } = await application();
    await producer.queues.append(audit, { who: 'a', n: 1 });
    await producer.queues.append('audit', { who: 'b', n: 2 });
    await producer.queue.append({ who: 'c', n: 3 }, { delayMs: 30 });
    await producer.queues.appendMany(audit, [{ payload: { who: 'd', n: 4 } }]);
    await producer.transport.queue('audit').append({ who: 'e', n: 5 });
    await eventually(() => seen.indexed.length === 5 && seen.summed.length === 5);
    expect(seen.indexed.sort()).toEqual(['a', 'b', 'c', 'd', 'e'].map((who) => `index:${who}:1`));
    expect(seen.summed.sort()).toEqual([1, 2, 3, 4, 5]);
    expect([...seen.fences].sort((a, b) => a - b)).toEqual(seen.fences);
    await app.close();
  });

  test('retry for their own group, and dead-letter what fails too often', async () => {
    const { seen, producer } = await application();
    await producer.queue.append({ who: 'flaky', n: 1 });
    const hopeless = await producer.queue.append({ who: 'hopeless', n: 2 });
    await eventually(() => seen.indexed.length === 6);
    await eventually(async () => (await producer.queue.deadLetters.count()) === 1);
    expect(seen.indexed.filter((line) => line.includes('flaky'))).toEqual([
      'index:flaky:1',
      'index:flaky:2',
      'index:flaky:3',
    ]);
    const [letter] = await producer.queue.deadLetters.list();
    expect(letter).toMatchObject({ id: hopeless, group: 'index', attempts: 3, reason: 'never' });
    expect(seen.summed.sort()).toEqual([1, 2]);
  });

  test('of one group share the entries of several queues', async () => {
    const logger = new RecordingLogger();
    @Processor({ engine: 'streams', queues: ['north', 'south'], group: 'all' })
    class Both {
      constructor(private readonly seen: Seen) {}
      @Process() handle({ queue }: StreamMessage): void {
        this.seen.queues.push(queue);
      }
    }
    const app = await startWith(options({ logger, streams: { blockMs: 200 } }), Seen, Both);
    const queues = app.get(QueueService);
    await queues.append('north', 1);
    await queues.append('south', 2);
    const seen = app.get(Seen);
    await eventually(() => seen.queues.length === 2);
    expect(seen.queues.sort()).toEqual(['north', 'south']);
    expect(logger.lines.join()).toContain('"north, south"');
    expect(queues.health().loops[0]).toMatchObject({ engine: 'streams', claiming: true });
    expect(queues.health().upkeep.map(({ name }) => name)).toEqual([
      'streams:north',
      'streams:south',
    ]);
  });

  test('leave no name in their groups when the application closes', async () => {
    const { app, seen, producer } = await application();
    await producer.queue.append({ who: 'a', n: 1 });
    await eventually(() => seen.indexed.length === 1 && seen.summed.length === 1);
    const stats = () => producer.queue.stats();
    expect((await stats()).groups.map(({ consumers }) => consumers)).toEqual([1, 1]);
    await app.get(RedisQueueModule).onModuleDestroy();
    expect((await stats()).groups.map(({ consumers }) => consumers)).toEqual([0, 0]);
    await app.close();
  });

  test("a reader made of the injected transport ends with the application's drain", async () => {
    const { app, producer } = await application();
    const consumer = producer.transport.queue('audit').consumer({ group: 'by hand' });
    const bodies: string[] = [];
    const reading = (async () => {
      for await (const one of consumer.deliveries()) {
        bodies.push(one.body.toString());
        await one.ack();
      }
    })();
    await producer.queues.append('audit', { who: 'x', n: 1 });
    await eventually(() => bodies.length === 1);
    await app.close();
    await reading;
    expect(consumer.isStopped).toBe(true);
  });

  test('the queue in numbers, and its health for a probe', async () => {
    const { producer, seen } = await application();
    await producer.queue.append({ who: 'a', n: 1 });
    await eventually(() => seen.indexed.length === 1 && seen.summed.length === 1);
    await eventually(async () => {
      const { groups } = await producer.queues.stats(audit);
      return groups.length === 2 && groups.every(({ running, waiting }) => running + waiting === 0);
    });
    expect(await producer.queue.health()).toMatchObject({
      connected: true,
      waiting: 0,
      error: null,
    });
  });
});

describe('what stops the start', () => {
  class Handles {
    @Process() handle(): void {}
  }

  test('two processors of one group on one queue', async () => {
    @Processor({ engine: 'streams', queue: 'q', group: 'g' })
    class One extends Handles {}
    @Processor({ engine: 'streams', queue: 'q', group: 'g' })
    class Two extends Handles {}
    await expect(startWith(options(), One, Two)).rejects.toMatchObject({
      code: 'PROCESSOR_CONFLICT',
    });
  });

  test('a type, which entries do not have', async () => {
    @Processor({ engine: 'streams', queue: 'q' })
    class Typed {
      @Process('created') handle(): void {}
    }
    await expect(startWith(options(), Typed)).rejects.toMatchObject({ code: 'INVALID_PROCESSOR' });
  });

  test.each([
    [{ group: '' }, 'Wrong.group'],
    [{ maxDeliveries: 0 }, 'Wrong.maxDeliveries'],
    [{ leaseMs: 0 }, 'Wrong.leaseMs'],
  ])('%p', async (settings, option) => {
    @Processor({ engine: 'streams', queue: 'q', ...settings })
    class Wrong extends Handles {}
    await expect(startWith(options(), Wrong)).rejects.toMatchObject({ option });
  });

  test.each([{ blockMs: 0 }, { deadMaxLen: 0 }, { maxDeliveries: 1.5 }])(
    'streams: %p',
    async (streams) => {
      const [name] = Object.keys(streams);
      await expect(
        compile({ imports: [RedisQueueModule.forRoot(options({ streams }))] }),
      ).rejects.toMatchObject({ option: `streams.${name}` });
    },
  );

  test('no queue, or both queue and queues', () => {
    expect(() => Processor({ engine: 'streams' } as never)).toThrow('@Processor.queue');
    const both = { engine: 'streams', queue: 'a', queues: ['b'] };
    expect(() => Processor(both as never)).toThrow('give either queue or queues');
  });
});
