// Checked by `npm run typecheck`: every line under an @ts-expect-error must not compile.
import {
  type BrokerQueue,
  defineQueue,
  type HeldMessage,
  InjectQueue,
  type ProcessContext,
  Processor,
  type QueueOf,
  type QueueService,
} from 'nest-redis-queue';

const inbox = defineQueue<string>({ engine: 'broker', name: 'inbox', concurrency: 2 });
const readings = defineQueue<{ celsius: number }>({ engine: 'broker', queue: 'readings' });

@inbox.Processor({ leaseMs: 60_000 })
export class InboxProcessor {
  @inbox.Process()
  handle(message: HeldMessage, context: ProcessContext): bigint {
    void [context.fence, message.payload.length];
    return message.messageId;
  }

  // @ts-expect-error: the messages of a broker have no types
  @inbox.Process('letter')
  letter(message: HeldMessage): void {
    void message;
  }

  // @ts-expect-error: the inbox carries texts
  @inbox.Process()
  other(message: HeldMessage<{ celsius: number }>): void {
    void message;
  }
}

@readings.Processor()
export class ReadingsProcessor {
  @readings.Process()
  handle(message: HeldMessage<{ celsius: number }>): number {
    return message.payload.celsius;
  }
}

// @ts-expect-error: a broker has queues, no topics
@Processor({ engine: 'broker', topic: 'inbox' })
export class WrongWord {}

export class Producer {
  constructor(
    private readonly queues: QueueService,
    @InjectQueue(inbox) private readonly queue: QueueOf<typeof inbox>,
  ) {}

  async produce(): Promise<void> {
    const id: bigint = await this.queue.write('hello', { keepNewest: 5 });
    await this.queue.delete(id);
    await this.queues.write(inbox, 'hello');
    await this.queues.write('inbox', 'hello');
    const handle: BrokerQueue<{ celsius: number }> = this.queues.queue(readings);
    await handle.write({ celsius: 7 });

    // @ts-expect-error: ids are no numbers
    await this.queue.delete(5);
    // @ts-expect-error: the inbox carries texts
    await this.queue.write({ celsius: 7 });
    // @ts-expect-error: the inbox carries texts
    await this.queues.write(inbox, 7);
    // @ts-expect-error: an order needs a bounded form
    this.queue.readAll({ order: 'newest' });
    // @ts-expect-error: how many is not left open
    await this.queue.readMany({});
  }
}
