import { Injectable } from '@nestjs/common';
import {
  defineQueue,
  getEngineToken,
  type GroupMessage,
  GroupTopic,
  GroupTransport,
  InjectQueue,
  Process,
  type ProcessContext,
  Processor,
  type QueueOf,
  QueueService,
  RedisQueueModule,
  UnrecoverableError,
} from '../../lib/index.js';
import { compile, eventually, options, RecordingLogger, start, startWith } from './fixture.js';

interface OrderEvent {
  readonly order: number;
  readonly step: string;
}

const orders = defineQueue<OrderEvent>({ engine: 'groups', topic: 'orders', groupBatch: 3 });

/** What handlers saw, in order. */
@Injectable()
class Seen {
  readonly steps: string[] = [];
  readonly fences: number[] = [];
  failures = 0;
}

const retry = { attempts: 3, backoff: { type: 'fixed', delayMs: 30 } } as const;

@orders.Processor({ concurrency: 5, retry })
class OrderProcessor {
  constructor(private readonly seen: Seen) {}

  @orders.Process()
  handle(message: GroupMessage<OrderEvent>, context: ProcessContext): void {
    const { order, step } = message.payload;
    this.seen.steps.push(`${message.group}:${order}:${step}:${context.attempt}`);
    this.seen.fences.push(context.fence);
    if (step === 'flaky' && context.attempt < 3) throw new Error('not yet');
    if (step === 'hopeless') throw new UnrecoverableError('never');
  }
}

@Injectable()
class Producer {
  constructor(
    readonly queues: QueueService,
    @InjectQueue(orders) readonly topic: QueueOf<typeof orders>,
    readonly transport: GroupTransport,
  ) {}
}

async function application() {
  const logger = new RecordingLogger();
  const app = await start({
    imports: [
      RedisQueueModule.forRoot(options({ logger, groups: { leaseMs: 20_000 } })),
      RedisQueueModule.forFeature([orders]),
    ],
    providers: [Seen, OrderProcessor, Producer],
  });
  const producer = app.get(Producer);
  const drained = () => eventually(async () => (await producer.topic.depth()) === 0);
  return { app, logger, ...producer, drained, seen: app.get(Seen) };
}

const stepsOf = (seen: Seen, group: string) =>
  seen.steps.filter((step) => step.startsWith(`${group}:`)).map((step) => step.slice(3));

describe('a processor of the groups engine', () => {
  it('handles each group in order, with a fence that grows', async () => {
    const { topic, queues, drained, seen, logger } = await application();
    for (let order = 0; order < 20; order++) {
      await topic.publish({ group: 'g1', payload: { order, step: 'a' } });
      await queues.publish(orders, { group: 'g2', payload: { order, step: 'a' }, priority: 2 });
      await queues.publish('orders', { group: 'g3', payload: { order, step: 'a' } });
    }
    await drained();
    const inOrder = Array.from({ length: 20 }, (_, order) => `${order}:a:1`);
    for (const group of ['g1', 'g2', 'g3']) expect(stepsOf(seen, group)).toEqual(inOrder);
    expect(new Set(seen.fences).size).toBe(60);
    expect(logger.lines).toContain(
      'OrderProcessor claims everything from the groups topic "orders", concurrency 5',
    );
  });

  it('retries a failing head before what stands behind it, and parks no other group', async () => {
    const { topic, drained, seen } = await application();
    const events = (group: string, steps: readonly string[]) =>
      steps.map((step, order) => ({ group, payload: { order, step } }));
    await topic.publishMany(events('g1', ['flaky', 'next', 'last']));
    await topic.publishMany(events('g2', ['one', 'two', 'three']));
    await drained();
    expect(stepsOf(seen, 'g1')).toEqual([
      '0:flaky:1',
      '0:flaky:2',
      '0:flaky:3',
      '1:next:1',
      '2:last:1',
    ]);
    expect(stepsOf(seen, 'g2')).toEqual(['0:one:1', '1:two:1', '2:three:1']);
    const last = seen.steps.indexOf('g2:2:three:1');
    expect(last).toBeLessThan(seen.steps.indexOf('g1:0:flaky:3'));
  });

  it('buries what is hopeless, and the group goes on', async () => {
    const { topic, drained, seen, queues } = await application();
    await topic.publish({ group: 'g1', payload: { order: 1, step: 'hopeless' } });
    await topic.publish({ group: 'g1', payload: { order: 2, step: 'fine' } });
    await drained();
    expect(stepsOf(seen, 'g1')).toEqual(['1:hopeless:1', '2:fine:1']);
    const [letter] = await topic.deadLetters.list();
    expect(letter).toMatchObject({ group: 'g1', reason: 'never', payload: { order: 1 } });
    expect(await queues.stats(orders)).toMatchObject({ backlog: 0, dead: 1 });
  });

  it('gives its handles and its transport to whoever injects them', async () => {
    const { app, topic, queues, transport } = await application();
    expect(topic).toBeInstanceOf(GroupTopic);
    expect(queues.queue(orders).name).toBe('orders');
    expect(app.get(getEngineToken('groups'))).toBe(transport);
    await transport.publish({ group: 'g', payload: 1 });
    const [message] = await transport.claim();
    expect(message).toMatchObject({ queue: 'default', leaseMs: 20_000 });
    expect(await transport.ack(message)).toBe(true);
    await transport.close(); // opened nothing, so closes nothing
    expect(await transport.depth()).toBe(0);
    expect(queues.health().connected).toMatchObject({ groups: true, jobs: true });
  });

  it('drains on close: no message is lost, what waits stays', async () => {
    const seen: unknown[] = [];
    @Processor({ engine: 'groups', topic: 'slow', concurrency: 2, groupBatch: 5 })
    class Slow {
      @Process() async handle(message: GroupMessage): Promise<void> {
        await new Promise((resolve) => setTimeout(resolve, 20));
        seen.push(message.payload);
      }
    }
    const root = options();
    const app = await startWith(root, Slow);
    const queues = app.get(QueueService);
    const messages = Array.from({ length: 50 }, (_, n) => ({ group: `g${n % 2}`, payload: n }));
    await queues.publishMany('slow', messages);
    await eventually(() => seen.length >= 4);
    await app.close();
    const transport = new GroupTransport({
      connection: root.connection,
      prefix: root.prefix,
      topic: 'slow',
    });
    const { leased, backlog } = await transport.stats();
    expect([leased, backlog]).toEqual([0, 50 - seen.length]);
    await transport.close();
  });
});

describe('a processor that cannot work', () => {
  const refused = async (make: () => new () => object) => {
    const type = (() => {
      try {
        return make();
      } catch (error) {
        return error as Error;
      }
    })();
    if (type instanceof Error) return type.message;
    const app = await compile({
      imports: [RedisQueueModule.forRoot(options())],
      providers: [type],
    });
    return app.init().then(
      () => '',
      (error: unknown) => (error as Error).message,
    );
  };

  it.each([
    ['its topic under another name', { engine: 'groups', queue: 'orders' }, '@Processor.queue'],
    ['no topic', { engine: 'groups' }, '@Processor.topic'],
    ['a share beyond 1', { engine: 'groups', topic: 't', highRatio: 2 }, 'Wrong.highRatio'],
    ['a batch of 0', { engine: 'groups', topic: 't', groupBatch: 0 }, 'Wrong.groupBatch'],
    [
      'a job processor’s wish',
      { engine: 'jobs', queue: 'q', highRatio: 1 },
      '@Processor.highRatio',
    ],
  ])('is refused by the name of its option: %s', async (_, given, option) => {
    const message = await refused(() => {
      @Processor(given as never)
      class Wrong {
        @Process() handle(): void {}
      }
      return Wrong;
    });
    expect(message).toContain(option);
  });

  it('has a type, which messages of this engine have not', async () => {
    const message = await refused(() => {
      @Processor({ engine: 'groups', topic: 't' })
      class Typed {
        @Process('welcome') handle(): void {}
      }
      return Typed;
    });
    expect(message).toMatch(/Typed .*messages of the groups engine have no types/);
  });

  it('is defined under two names', () => {
    const both = { engine: 'groups', name: 'a', topic: 'b' } as never;
    expect(() => defineQueue<OrderEvent>(both)).toThrow('give either name or topic');
    expect(defineQueue<OrderEvent>({ engine: 'groups', name: 'a' }).name).toBe('a');
  });
});
