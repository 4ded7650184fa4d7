import { defineQueue } from 'nest-redis-queue';
import type { OrderEvent } from './order-event.js';

/** The one place that names the topic; processor, producer and types follow from it. */
export const orders = defineQueue<OrderEvent>({
  engine: 'groups',
  topic: 'orders',
  // short, so that what a killed worker held comes back while we watch; the default is 30 s
  leaseMs: 2_000,
});

/** The tier of a customer's group: who spends much does not wait behind everybody else. */
export const TIER = { everyday: 0, large: 2 } as const;
