import { BatchOpenError, InvalidOptionError } from '../errors/index.js';
import type { OpenBatch, PeekScope } from './broker.backend.js';
import type { BrokerCore } from './broker.core.js';
import type { BrokerMessage, PeekedBrokerMessage } from './message.js';
import { checkQueueReference } from './queue-name.js';
import type { Selection, StreamTerms } from './selectors.js';

/** Takes, shows and moves the rows of one handle, whose open batch it knows. */
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

  /** Takes rows for good. */
  async read(selection: Selection): Promise<BrokerMessage<Body>[]> {
    this.assertFree();
    await this.core.recovery.runSeldom();
    const { queue, rows } = await this.core.backend.read({ ...selection, queue: this.name });
    if (rows.length > 0) this.core.mutated();
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
    if (rows.length > 0) this.core.mutated();
    return rows.map((row) => this.core.message<Body>(queue, row));
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

  /** One by one until there are none, or in at-least-once batches; to a target or for good. */
  async *each(
    terms: StreamTerms,
    target: string | null,
  ): AsyncGenerator<BrokerMessage<Body>, void> {
    if (terms.guarantee === 'at-least-once') return yield* this.batches(terms, target);
    const one = { ...terms, limit: 1 };
    for (;;) {
      const taking = target === null ? this.read(one) : this.move(one, target, false);
      const [message] = await taking;
      if (message === undefined) return;
      yield message;
    }
  }

  /** Where a move leads. @throws QueueNameError; InvalidOptionError when it is the queue itself */
  checkTarget(target: string): string {
    if (checkQueueReference(target) !== this.name) return target;
    throw new InvalidOptionError('target', 'is the queue itself');
  }

  /** A batch commits when its last message was taken and more is asked for, else it rolls back. */
  private async *batches(
    terms: StreamTerms,
    target: string | null,
  ): AsyncGenerator<BrokerMessage<Body>, void> {
    for (;;) {
      this.assertFree();
      this.isBatchOpen = true;
      try {
        const batch = await this.begin(terms, target);
        if (batch.rows.length === 0) return;
        yield* this.batch(batch);
      } finally {
        this.isBatchOpen = false;
      }
    }
  }

  private async begin(terms: StreamTerms, target: string | null): Promise<OpenBatch> {
    await this.core.recovery.run();
    return this.core.backend.beginBatch({ ...terms, queue: this.name, target });
  }

  private async *batch(batch: OpenBatch): AsyncGenerator<BrokerMessage<Body>, void> {
    let wasTaken = false;
    try {
      for (const row of batch.rows) yield this.core.message<Body>(batch.queue, row);
      wasTaken = true;
    } finally {
      await this.core.backend.endBatch(wasTaken ? 'commit' : 'rollback', batch);
      this.core.mutated();
    }
  }
}
