// Checked by `npm run typecheck`: every line under an @ts-expect-error must not compile.
import {
  defineQueue,
  type GroupMessage,
  type GroupStats,
  InjectQueue,
  type JobStats,
  Process,
  type ProcessContext,
  Processor,
  type QueueOf,
  type QueueService,
} from 'nest-redis-queue';

interface OrderEvent {
  order: number;
}

const orders = defineQueue<OrderEvent>({ engine: 'groups', topic: 'orders', highRatio: 0.5 });
const jobs = defineQueue<{ work: null }>({ engine: 'jobs', name: 'work' });

// @ts-expect-error: a jobs queue has no tiers
defineQueue<{ work: null }>({ engine: 'jobs', name: 'work', highRatio: 0.5 });
// @ts-expect-error: neither name nor topic
defineQueue<OrderEvent>({ engine: 'groups' });

@orders.Processor({ concurrency: 50, groupBatch: 20, weights: [1, 1, 1, 1, 4] })
export class OrderProcessor {
  @orders.Process()
  handle(message: GroupMessage<OrderEvent>, context: ProcessContext): number {
    return message.payload.order + message.priority + context.fence + message.group.length;
  }

  // @ts-expect-error: messages carry another payload
  @orders.Process()
  mixedUp(message: GroupMessage<{ text: string }>): void {
    void message;
  }

  // @ts-expect-error: messages of this engine have no types
  @orders.Process('created')
  typed(message: GroupMessage<OrderEvent>): void {
    void message;
  }
}

// @ts-expect-error: its place is called topic
@Processor({ engine: 'groups', queue: 'orders' })
export class WronglyPlaced {
  @Process() handle(): void {}
}

@Processor({ engine: 'groups', topic: 'orders', priorityThreshold: 2 })
export class PlainOrderProcessor {
  @Process() handle(message: GroupMessage<OrderEvent>): void {
    void message;
  }
}

export class Producer {
  constructor(
    private readonly queues: QueueService,
    @InjectQueue(orders) private readonly topic: QueueOf<typeof orders>,
  ) {}

  async produce(): Promise<void> {
    await this.topic.publish({ group: 'order-42', payload: { order: 42 }, priority: 3 });
    await this.queues.publish(orders, { group: 'order-42', payload: { order: 42 } });
    await this.queues.publish('orders', { group: 'order-42', payload: 'anything' });
    await this.queues.publishMany(orders, [{ group: 'order-42', payload: { order: 42 } }]);
    const ofTopic: GroupStats = await this.queues.stats(orders);
    const ofQueue: JobStats = await this.queues.stats('work');
    const ofDefinition: JobStats = await this.queues.stats(jobs);
    void [ofTopic, ofQueue, ofDefinition];

    // @ts-expect-error: messages carry another payload
    await this.topic.publish({ group: 'order-42', payload: { text: 'no' } });
    // @ts-expect-error: messages carry another payload
    await this.queues.publish(orders, { group: 'order-42', payload: 'no' });
    // @ts-expect-error: jobs are enqueued
    await this.queues.publish(jobs, { group: 'order-42', payload: null });
    // @ts-expect-error: a topic takes messages
    await this.queues.enqueue(orders, 'created', { order: 42 });
    // @ts-expect-error: a message belongs to a group
    await this.topic.publish({ payload: { order: 42 } });
  }
}
