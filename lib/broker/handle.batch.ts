import { ClosedError } from '../errors/index.js';
import type { OpenBatch } from './broker.backend.js';
import type { BrokerCore } from './broker.core.js';
import type { BrokerMessage } from './message.js';

/** How long a batch whose commit failed is tried to be given back, in milliseconds. */
const GIVE_BACK_MS = 5_000;

/**
 * One at-least-once batch of a handle, from its begin until it is committed or given back.
 *
 * The broker's close gives it back too, also one that a generator left open.
 */
export class HandleBatch<Body> {
  private committing: Promise<unknown> | null = null;
  private givingBack: Promise<void> | null = null;

  /** @param begun what the backend answers to the begin, which is under way */
  constructor(
    private readonly core: BrokerCore,
    private readonly begun: Promise<OpenBatch>,
  ) {
    core.batches.add(this);
  }

  /**
   * Its messages, then how many they were. It commits once more is asked for behind the last one,
   * and gives all of them back where the caller ends before.
   *
   * @throws ClosedError when the broker was closed meanwhile; InvalidBatchError when it was recovered
   */
  async *messages(): AsyncGenerator<BrokerMessage<Body>, number> {
    try {
      const batch = await this.begun;
      if (batch.rows.length > 0) yield* this.handOut(batch);
      return batch.rows.length;
    } finally {
      this.core.batches.delete(this);
    }
  }

  /** Gives the messages back unless they are committed; a second call waits for the first. */
  giveBack(signal?: AbortSignal): Promise<void> {
    return (this.givingBack ??= this.release(signal));
  }

  private async *handOut(batch: OpenBatch): AsyncGenerator<BrokerMessage<Body>, void> {
    let wasTaken = false;
    try {
      for (const row of batch.rows) {
        this.assertHeld();
        yield this.core.message<Body>(batch.queue, row);
      }
      this.assertHeld();
      wasTaken = true;
    } finally {
      await (wasTaken ? this.commit(batch) : this.giveBack());
    }
  }

  private assertHeld(): void {
    if (this.givingBack !== null) throw new ClosedError('the queue broker');
  }

  /** After a failed commit nobody would end the batch, and its token makes the order harmless. */
  private async commit(batch: OpenBatch): Promise<void> {
    this.committing = this.core.backend.endBatch('commit', batch);
    try {
      await this.committing;
    } catch (error) {
      await this.giveBack(AbortSignal.timeout(GIVE_BACK_MS)).catch(() => undefined);
      throw error;
    }
    this.core.mutated(batch.rows.length);
  }

  private async release(signal: AbortSignal | undefined): Promise<void> {
    const isCommitted = await this.committing?.then(
      () => true,
      () => false,
    );
    const batch = isCommitted === true ? null : await this.begun.catch(() => null);
    if (batch === null || batch.rows.length === 0) return; // none, or over
    await this.core.backend.endBatch('rollback', batch, signal);
  }
}
