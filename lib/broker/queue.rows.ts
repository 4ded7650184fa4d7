import { BatchOpenError } from '../errors/index.js';
import type { OpenBatch, PeekScope } from './broker.backend.js';
import type { BrokerCore } from './broker.core.js';
import { HandleBatch } from './handle.batch.js';
import type { BrokerMessage, MessageOrder, PeekedBrokerMessage } from './message.js';
import { type EachTerms, OLDEST, type Selection } from './selectors.js';

/** Writes, takes, shows and moves the rows of one handle, whose open batch it knows. */
export class QueueRows<Body> {
  private isBatchOpen = false;

  constructor(
    private readonly name: string,
    private readonly core: BrokerCore,
  ) {}

  /** @throws BatchOpenError while a batch of this handle is open; ClosedError */
  assertFree(): void {
    this.core.assertOpen();
    if (this.isBatchOpen) throw new BatchOpenError(this.name);
  }

  /** Writes a row; a handle that is free is the caller's business. */
  async write(body: string | Buffer): Promise<bigint> {
    return this.wrote(await this.core.backend.write({ queue: this.name, body }));
  }

  /** Writes a row, and keeps so many unread ones. */
  async writeNewest(body: string | Buffer, keep: number): Promise<bigint> {
    await this.core.recovery.runSeldom();
    return this.wrote(await this.core.backend.writeNewest({ queue: this.name, body }, keep));
  }

  /** Takes rows for good. */
  async read(selection: Selection): Promise<BrokerMessage<Body>[]> {
    this.assertFree();
    await this.core.recovery.runSeldom();
    const { queue, rows } = await this.core.backend.read({ ...selection, queue: this.name });
    this.core.mutated(rows.length);
    return rows.map((row) => this.core.message<Body>(queue, row));
  }

  /** Moves rows; the target is checked already. */
  async move(
    selection: Selection,
    target: string,
    withClaimed: boolean,
  ): Promise<BrokerMessage<Body>[]> {
    this.assertFree();
    await this.core.recovery.runSeldom();
    const request = { ...selection, queue: this.name };
    const { queue, rows } = await this.core.backend.move(request, target, withClaimed);
    this.core.mutated(rows.length);
    return rows.map((row) => this.core.message<Body>(queue, row));
  }

  /** Deletes rows by their ids; answers how many there were. */
  async delete(ids: readonly bigint[]): Promise<number> {
    this.assertFree();
    if (ids.length === 0) return 0;
    await this.core.recovery.run();
    const count = await this.core.backend.deleteRows(this.name, ids);
    this.core.mutated(count);
    return count;
  }

  /** Shows rows and changes nothing. */
  async peek(selection: Selection, scope: PeekScope): Promise<PeekedBrokerMessage<Body>[]> {
    this.core.assertOpen();
    const found = await this.core.backend.peek({ ...selection, queue: this.name }, scope);
    return found.rows.map((row) => ({
      ...this.core.message<Body>(found.queue, row),
      state: row.state,
    }));
  }

  /** Shows all rows, so many at a time. */
  async *peekEach(
    selection: Selection,
    scope: PeekScope,
  ): AsyncGenerator<PeekedBrokerMessage<Body>, void> {
    for (let after = selection.after; ;) {
      const page = await this.peek({ ...selection, after }, scope);
      if (page.length === 0) return;
      yield* page;
      after = page[page.length - 1].id;
    }
  }

  /** The id of the first row that is neither read nor reserved. */
  async firstWaiting(after: bigint | null, order: MessageOrder): Promise<bigint | null> {
    this.core.assertOpen();
    return this.core.backend.firstWaiting({ queue: this.name, after, order });
  }

  /** One by one until there are none, or in at-least-once batches; to a target or for good. */
  async *each(terms: EachTerms, target: string | null): AsyncGenerator<BrokerMessage<Body>, void> {
    const { guarantee, after, before } = terms;
    if (guarantee === 'at-least-once') return yield* this.batches(terms, target);
    const one = { ...OLDEST, after, before };
    for (;;) {
      const taking = target === null ? this.read(one) : this.move(one, target, false);
      const [message] = await taking;
      if (message === undefined) return;
      yield message;
    }
  }

  private wrote(id: bigint): bigint {
    this.core.mutated();
    this.core.sawId(id);
    return id;
  }

  /** In batches until one is empty; the handle is not free while one is open. */
  private async *batches(
    terms: EachTerms,
    target: string | null,
  ): AsyncGenerator<BrokerMessage<Body>, void> {
    for (;;) {
      this.assertFree();
      this.isBatchOpen = true;
      try {
        const batch = new HandleBatch<Body>(this.core, this.begin(terms, target));
        if ((yield* batch.messages()) === 0) return;
      } finally {
        this.isBatchOpen = false;
      }
    }
  }

  private async begin(terms: EachTerms, target: string | null): Promise<OpenBatch> {
    await this.core.recovery.run();
    const { after, before, limit } = terms;
    return this.core.backend.beginBatch({ queue: this.name, target, after, before, limit });
  }
}
