import { setTimeout as pause } from 'node:timers/promises';
import type { GroupMessage, ProcessContext } from 'nest-redis-queue';
import { Books } from './books.js';
import type { OrderEvent } from './order-event.js';
import { orders, TIER } from './orders.topic.js';

/** How long the work on an event takes, in milliseconds: a letter, a call to the warehouse. */
const WORK_MS = 4;

/**
 * Handles order events, many customers at a time and each customer's one after the other.
 *
 * An event is handled again when its worker died before the queue heard that it was through. The
 * fence tells the runs apart, so that a worker which only seemed dead cannot write behind its
 * successor's back.
 */
// every other claim asks for large customers first, so that the others go on as well
@orders.Processor({ concurrency: 10, highRatio: 0.5, priorityThreshold: TIER.large })
export class OrderProcessor {
  private readonly worker = `w${process.env.WORKER}`;

  constructor(private readonly books: Books) {}

  @orders.Process()
  async handle({ payload }: GroupMessage<OrderEvent>, context: ProcessContext): Promise<void> {
    const { customer, number } = payload;
    await this.books.book(customer, { number, worker: this.worker }, context.fence);
    await pause(Math.random() * 2 * WORK_MS);
  }
}
