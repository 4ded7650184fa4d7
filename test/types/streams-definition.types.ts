// Checked by `npm run typecheck`: every line under an @ts-expect-error must not compile.
import {
  defineQueue,
  InjectQueue,
  Process,
  type ProcessContext,
  Processor,
  type QueueOf,
  type QueueService,
  type StreamMessage,
  type StreamStats,
} from 'nest-redis-queue';

interface AuditEntry {
  who: string;
}

const audit = defineQueue<AuditEntry>({ engine: 'streams', name: 'audit', group: 'index' });
defineQueue<AuditEntry>({ engine: 'streams', queue: 'audit', maxDeliveries: 3 });

// @ts-expect-error: neither name nor queue
defineQueue<AuditEntry>({ engine: 'streams' });
// @ts-expect-error: a jobs queue has no consumer groups
defineQueue<{ work: null }>({ engine: 'jobs', name: 'work', group: 'index' });

@audit.Processor({ group: 'sum', concurrency: 5, maxDeliveries: 2 })
export class AuditProcessor {
  @audit.Process()
  handle(message: StreamMessage<AuditEntry>, context: ProcessContext): string {
    return message.payload.who + message.entryId + message.group + context.fence;
  }

  // @ts-expect-error: entries carry another payload
  @audit.Process()
  mixedUp(message: StreamMessage<{ text: string }>): void {
    void message;
  }

  // @ts-expect-error: entries have no types
  @audit.Process('created')
  typed(message: StreamMessage<AuditEntry>): void {
    void message;
  }
}

@Processor({ engine: 'streams', queues: ['a', 'b'], group: 'g' })
export class BothProcessor {
  @Process() handle(message: StreamMessage): void {
    void message;
  }
}

// @ts-expect-error: either queue or queues
@Processor({ engine: 'streams', queue: 'a', queues: ['b'] })
export class WronglyPlaced {
  @Process() handle(): void {}
}

export class Producer {
  constructor(
    private readonly queues: QueueService,
    @InjectQueue(audit) private readonly queue: QueueOf<typeof audit>,
  ) {}

  async produce(): Promise<StreamStats> {
    await this.queue.append({ who: 'x' }, { delayMs: 5 });
    await this.queues.append(audit, { who: 'x' });
    await this.queues.append('audit', { whatever: true });
    await this.queues.appendMany(audit, [{ payload: { who: 'x' }, headers: { a: '1' } }]);
    // @ts-expect-error: another payload
    await this.queue.append({ name: 'x' });
    // @ts-expect-error: another payload
    await this.queues.append(audit, { name: 'x' });
    // @ts-expect-error: another payload
    await this.queues.appendMany(audit, [{ payload: { name: 'x' } }]);
    return this.queues.stats(audit);
  }
}
