import {
  checkBoolean,
  checkDuration,
  checkKeys,
  InvalidOptionError,
  RedisQueueError,
} from '../errors/index.js';
import { LeaseWatch } from './lease-watch.js';
import type { StreamDelivery } from './stream.delivery.js';

/** How a delivery is rejected. */
export interface StreamRejectOptions {
  /** Back to the end of the stream; without it the message is a dead letter. @default false */
  readonly requeue?: boolean;
  /** Only with `requeue`: milliseconds until it is delivered again. @default 0 */
  readonly delayMs?: number;
}

/** A message that `deliveries()` handed out; settle it once, by `ack` or `reject`. */
export class StreamConsumed {
  private readonly watch: LeaseWatch;

  constructor(private readonly delivery: StreamDelivery) {
    this.watch = new LeaseWatch(delivery.leaseMs);
    delivery.onRevoked(() => this.watch.end());
  }

  /**
   * Resolves when it was settled, or its lease was lost or ran out unextended. In the last case
   * others of the group may take it over, its consumer itself does not get it again; until one
   * does, a late settle still counts.
   */
  get settled(): Promise<void> {
    return this.watch.over;
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
    if (delayMs > 0 && !requeue) throw new InvalidOptionError('delayMs', 'goes with requeue only');
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
  async extend(): Promise<void> {
    await this.delivery.extend();
    this.watch.renew();
  }

  private async settle(settling: Promise<void>): Promise<void> {
    try {
      await settling;
      this.watch.end();
    } catch (error) {
      if ((error as RedisQueueError).code === 'LEASE_LOST') this.watch.end();
      throw error;
    }
  }
}

const REJECTED = new RedisQueueError('REJECTED', 'rejected');
