import { checkBoolean, checkDuration, checkKeys, RedisQueueError } from '../errors/index.js';
import type { StreamDelivery } from './stream.delivery.js';

/** How a delivery is rejected. */
export interface StreamRejectOptions {
  /** Back to the end of the stream; without it the message is a dead letter. @default false */
  readonly requeue?: boolean;
  /** With `requeue`: milliseconds until it is delivered again. @default 0 */
  readonly delayMs?: number;
}

/** A message that `deliveries()` handed out; settle it once, by `ack` or `reject`. */
export class StreamConsumed {
  /** Resolves when it was settled or its lease was lost. */
  readonly settled: Promise<void>;
  private end!: () => void;

  constructor(private readonly delivery: StreamDelivery) {
    this.settled = new Promise((resolve) => (this.end = resolve));
    delivery.onRevoked(this.end);
  }

  /** The bytes as they were published. */
  get body(): Buffer {
    return this.delivery.entry.body ?? Buffer.alloc(0);
  }

  /** The id of the entry in the stream. */
  get entryId(): string {
    return this.delivery.entry.entryId;
  }

  /** The message's id, which stays the same when it comes back. */
  get id(): string {
    return this.delivery.entry.id;
  }

  get queue(): string {
    return this.delivery.entry.queue;
  }

  /** How often the server handed out this entry: 1, and one more with every take-over. */
  get deliveryCount(): number {
    return this.delivery.entry.deliveryCount;
  }

  /** Which run of the message this is, requeues counted. */
  get attempt(): number {
    return this.delivery.entry.attempt;
  }

  /** Grows with every claim of the queue. */
  get fence(): number {
    return this.delivery.fence;
  }

  /** Text pairs of the producer; throws UnreadablePayloadError when others wrote them wrong. */
  get headers(): Readonly<Record<string, string>> {
    return this.delivery.headers;
  }

  /**
   * The group is through with the message. A second call does nothing.
   *
   * @throws LeaseLostError when someone else holds it by now; nothing was changed.
   */
  ack(): Promise<void> {
    return this.settle(this.delivery.ack());
  }

  /**
   * Dead-letters the message, or sends it to the end of the stream.
   *
   * @throws InvalidOptionError; LeaseLostError when it is settled or someone else holds it.
   */
  async reject(options: StreamRejectOptions = {}): Promise<void> {
    checkKeys('options', options, ['requeue', 'delayMs']);
    const { requeue = false, delayMs = 0 } = options;
    checkDuration('delayMs', delayMs, { min: 0 });
    const retryInMs = checkBoolean('requeue', requeue) ? delayMs : null;
    await this.settle(this.delivery.nack({ error: REJECTED, retryInMs }));
  }

  /** Gives the message back, for anyone to take at once, without spending the delivery. */
  release(): Promise<void> {
    return this.settle(this.delivery.release());
  }

  /**
   * Prolongs the lease by `leaseMs` from now.
   *
   * @throws LeaseLostError when someone else holds it by now.
   */
  extend(): Promise<void> {
    return this.delivery.extend();
  }

  private async settle(settling: Promise<void>): Promise<void> {
    try {
      await settling;
      this.end();
    } catch (error) {
      if ((error as RedisQueueError).code === 'LEASE_LOST') this.end();
      throw error;
    }
  }
}

const REJECTED = new RedisQueueError('REJECTED', 'rejected');
