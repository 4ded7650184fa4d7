import type { Books, Entry } from './books.js';
import type { Customers } from './order.producer.js';

/** What the books say about one run. */
export interface Proof {
  readonly customers: number;
  readonly events: number;
  /** Events that are in the books. */
  readonly handled: number;
  /** Entries beyond the first of an event: its worker died before the queue heard of it. */
  readonly repeated: number;
  /** Events that are in no entry. */
  readonly missing: number;
  /** Entries that do not follow the one before: neither its event again nor the next one. */
  readonly outOfOrder: number;
  /** Entries by worker. */
  readonly byWorker: ReadonlyMap<string, number>;
}

/** Looks at every entry of every customer. */
export async function prove(books: Books, customers: Customers): Promise<Proof> {
  const byWorker = new Map<string, number>();
  const sum = { customers: customers.size, events: 0, handled: 0, repeated: 0, missing: 0 };
  let outOfOrder = 0;
  for (const [customer, events] of customers) {
    const entries = await books.entriesOf(customer);
    const handled = new Set(entries.map(({ number }) => number)).size;
    sum.events += events;
    sum.handled += handled;
    sum.missing += events - handled;
    sum.repeated += entries.length - handled;
    outOfOrder += countOutOfOrder(entries);
    for (const { worker } of entries) byWorker.set(worker, (byWorker.get(worker) ?? 0) + 1);
  }
  return { ...sum, outOfOrder, byWorker };
}

/** Whether everything is as it was promised. */
export function isProven({ missing, outOfOrder }: Proof): boolean {
  return missing === 0 && outOfOrder === 0;
}

function countOutOfOrder(entries: readonly Entry[]): number {
  return entries.filter(({ number }, at) => {
    const before = at === 0 ? 0 : entries[at - 1].number;
    return number !== before + 1 && !(number === before && at > 0);
  }).length;
}
