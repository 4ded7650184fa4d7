import { BatchOpenError } from '../errors/index.js';
import type { OpenBatch, PeekScope } from './broker.backend.js';
import type { BrokerCore } from './broker.core.js';
import { HandleBatch } from './handle.batch.js';
import type { BrokerMessage, MessageOrder, PeekedBrokerMessage } from './message.js';
import { type EachTerms, OLDEST, type Selection } from './selectors.js';

/** How a generator goes through the rows; `target` is where a move leads, `null` for a read. */
export interface RowsTerms extends EachTerms {
  readonly target: string | null;
}

/** Writes, takes, shows and moves the rows of one handle, whose open batch it knows. */
export class QueueRows<Body> {
  private batch: HandleBatch<Body> | null = null;

  constructor(
    private readonly name: string,
    private readonly core: BrokerCore,
  ) {}

  /**
   * Before a change: what a batch that was ended still holds is given back first.
   *
   * @throws BatchOpenError while a batch of this handle is open, or cannot be given back; ClosedError
   */
  async free(): Promise<void> {
    this.core.assertOpen();
    if (this.batch?.isOwed === true) {
      await this.giveBack().catch((cause: unknown) => {
        throw new BatchOpenError(this.name, cause);
      });
    }
    this.assertFree();
  }

  /** Tries again to give back what a batch that was ended still holds; nothing otherwise. */
  async giveBack(): Promise<void> {
    if (this.batch?.isOwed === true) await this.batch.giveBack();
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
    await this.free();
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
    await this.free();
    await this.core.recovery.runSeldom();
    const request = { ...selection, queue: this.name };
    const { queue, rows } = await this.core.backend.move(request, target, withClaimed);
    this.core.mutated(rows.length);
    return rows.map((row) => this.core.message<Body>(queue, row));
  }

  /** Deletes rows by their ids; answers how many there were. */
  async delete(ids: readonly bigint[]): Promise<number> {
    await this.free();
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

  /** The id of the first row that waits. */
  async firstWaiting(after: bigint | null, order: MessageOrder): Promise<bigint | null> {
    this.core.assertOpen();
    return this.core.backend.firstWaiting({ queue: this.name, after, order });
  }

  /**
   * One by one until there are none, or in at-least-once batches. A `return()` that could not give
   * the batch back may be repeated: by itself a generator that has ended runs nothing more.
   *
   * @param checked answers what is wanted, at the first step
   */
  each(checked: () => RowsTerms): AsyncGenerator<BrokerMessage<Body>, void> {
    const all = this.steps(checked);
    const end = all.return.bind(all);
    all.return = async (value) => {
      const result = await end(value);
      await this.giveBack();
      return result;
    };
    return all;
  }

  private wrote(id: bigint): bigint {
    this.core.mutated();
    this.core.sawId(id);
    return id;
  }

  private async *steps(checked: () => RowsTerms): AsyncGenerator<BrokerMessage<Body>, void> {
    const terms = checked();
    const { guarantee, target, after, before } = terms;
    if (guarantee === 'at-least-once') return yield* this.batches(terms);
    const one = { ...OLDEST, after, before };
    for (;;) {
      const taking = target === null ? this.read(one) : this.move(one, target, false);
      const [message] = await taking;
      if (message === undefined) return;
      yield message;
    }
  }

  /** In batches until one is empty; the handle is not free while one is open. */
  private async *batches(terms: RowsTerms): AsyncGenerator<BrokerMessage<Body>, void> {
    for (;;) {
      if (this.batch?.isOwed === true) await this.free();
      this.assertFree(); // in the step that opens the batch: none comes between
      this.batch = new HandleBatch<Body>(this.core, this.begin(terms));
      if ((yield* this.batch.messages()) === 0) return;
    }
  }

  private assertFree(): void {
    this.core.assertOpen();
    if (this.batch?.isOpen === true) throw new BatchOpenError(this.name);
  }

  private async begin({ target, after, before, limit }: RowsTerms): Promise<OpenBatch> {
    await this.core.recovery.run();
    return this.core.backend.beginBatch({ queue: this.name, target, after, before, limit });
  }
}
