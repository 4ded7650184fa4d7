import { Injectable } from '@nestjs/common';
import { InjectQueue, type QueueOf } from 'nest-redis-queue';
import type { OrderEvent } from './order-event.js';
import type { OrderFile } from './order-file.js';
import { orders, TIER } from './orders.topic.js';

const BATCH_SIZE = 500;

/** From so much money on a customer's first order makes theirs a large one, in cents. */
const LARGE_CENTS = 20_000;

/** How many events each customer has. */
export type Customers = ReadonlyMap<string, number>;

/** Puts the events of a file into the topic, in the order of the file. */
@Injectable()
export class OrderProducer {
  constructor(@InjectQueue(orders) private readonly topic: QueueOf<typeof orders>) {}

  /** Answers how many events of each customer went in. */
  async publish(file: OrderFile): Promise<Customers> {
    const customers = new Map<string, number>();
    let batch: OrderEvent[] = [];
    for await (const event of file.events()) {
      customers.set(event.customer, event.number);
      batch.push(event);
      if (batch.length < BATCH_SIZE) continue;
      await this.send(batch);
      batch = [];
    }
    await this.send(batch);
    return customers;
  }

  /** Events that have not been handled to the end yet. */
  left(): Promise<number> {
    return this.topic.depth();
  }

  private async send(events: readonly OrderEvent[]): Promise<void> {
    const outcomes = await this.topic.publishMany(
      events.map((event) => ({
        group: event.customer,
        payload: event,
        priority: event.cents >= LARGE_CENTS ? TIER.large : TIER.everyday,
      })),
    );
    for (const outcome of outcomes) if ('error' in outcome) throw outcome.error;
  }
}
