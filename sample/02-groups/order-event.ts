/** What may happen to an order. */
export type OrderStep =
  'placed' | 'paid' | 'packed' | 'shipped' | 'delivered' | 'returned' | 'refunded' | 'cancelled';

/** One line of the file. */
export interface OrderLine {
  /** ISO 8601. */
  readonly time: string;
  readonly customer: string;
  readonly order: string;
  readonly type: string;
  readonly cents: number;
}

/** What the topic carries: a line, and which of its customer's events it is, from 1 on. */
export interface OrderEvent extends OrderLine {
  readonly number: number;
}
