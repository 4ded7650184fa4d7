import { createReadStream } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { OrderEvent, OrderLine } from './order-event.js';
import { shopEvents } from './shop.js';

const HEAD = 'time,customer,order,type,cents';

/** A file of order events. */
export class OrderFile {
  private constructor(
    readonly path: string,
    private readonly isDerived: boolean,
  ) {}

  /** The file at `path`, or without one a file that is derived for this run. */
  static async open(path: string | undefined): Promise<OrderFile> {
    if (path !== undefined) return new OrderFile(path, false);
    const derived = join(await mkdtemp(join(tmpdir(), 'orders-')), 'order-events.csv');
    const lines = shopEvents().map(({ time, customer, order, type, cents }) =>
      [time, customer, order, type, cents].join(','),
    );
    await writeFile(derived, `${[HEAD, ...lines].join('\n')}\n`);
    return new OrderFile(derived, true);
  }

  /**
   * The events in the order of the file, each with its number among its customer's.
   *
   * @throws Error naming the line that is none
   */
  async *events(): AsyncGenerator<OrderEvent> {
    const numbers = new Map<string, number>();
    let line = 0;
    for await (const text of createInterface({ input: createReadStream(this.path) })) {
      line += 1;
      if (text === HEAD || text.trim() === '') continue;
      const event = parseLine(text, line);
      const number = (numbers.get(event.customer) ?? 0) + 1;
      numbers.set(event.customer, number);
      yield { ...event, number };
    }
  }

  /** Removes what was derived. */
  async close(): Promise<void> {
    if (this.isDerived) await rm(join(this.path, '..'), { recursive: true, force: true });
  }
}

function parseLine(text: string, line: number): OrderLine {
  const [time, customer, order, type, cents, more] = text.split(',').map((cell) => cell.trim());
  const isLine = customer && order && type && /^-?\d+$/.test(cents ?? '') && more === undefined;
  if (!isLine) throw new Error(`line ${line} of the file is no order event: ${text}`);
  return { time, customer, order, type, cents: Number(cents) };
}
