import { ClosedError } from '../errors/index.js';
import type { OpenBatch } from './broker.backend.js';
import type { BrokerCore } from './broker.core.js';
import type { BrokerMessage } from './message.js';

/** How long a batch whose commit failed is tried to be given back, in milliseconds. */
const GIVE_BACK_MS = 5_000;

/**
 * One at-least-once batch of a handle, from its begin until it is known to be committed or given
 * back: where giving back failed, its handle tries again, and so does the broker's close, which gives
 * back what a generator left open too.
 */
export class HandleBatch<Body> {
  private committing: Promise<unknown> | null = null;
  private givingBack: Promise<void> | null = null;
  private isOver = false;

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
    const batch = await this.begun.catch((error: unknown) => {
      this.end();
      throw error;
    });
    if (batch.rows.length > 0) yield* this.handOut(batch);
    else this.end();
    return batch.rows.length;
  }

  /** Whether its messages are handed out, committed or about to be. */
  get isOpen(): boolean {
    return !this.isOver && this.givingBack === null;
  }

  /** Whether it was given up, and is not known to be given back. */
  get isOwed(): boolean {
    return !this.isOver && this.givingBack !== null;
  }

  /**
   * Gives the messages back unless they are committed. A later call waits for the one before, and
   * tries again where that failed: the token makes a second roll-back harmless.
   */
  giveBack(signal?: AbortSignal): Promise<void> {
    const before = this.givingBack;
    this.givingBack =
      before === null ? this.release(signal) : before.catch(() => this.release(signal));
    return this.givingBack;
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
    this.end();
    this.core.mutated(batch.rows.length);
  }

  private async release(signal: AbortSignal | undefined): Promise<void> {
    const isCommitted = await this.committing?.then(
      () => true,
      () => false,
    );
    const batch = isCommitted === true ? null : await this.begun.catch(() => null);
    if (batch !== null && batch.rows.length > 0) {
      await this.core.backend.endBatch('rollback', batch, signal);
    }
    this.end();
  }

  private end(): void {
    this.isOver = true;
    this.core.batches.delete(this);
  }
}
