import type { Delivery, Message, Rejection } from '../contract/index.js';
import { checkDuration, reasonOf } from '../errors/index.js';
import { Revocation } from '../delivery/index.js';
import type { HoldOutcome } from './broker.backend.js';

/** A message of a broker queue as its handler sees it. */
export interface HeldMessage<Body = string> extends Message<Body> {
  /** The id as a number of 63 bits; `id` is the same in 19 digits. */
  readonly messageId: bigint;
  /**
   * When it was written, as its id tells, in epoch milliseconds of the Redis clock; of a message
   * that was inserted or loaded with an id of its own it is only what that number says.
   */
  readonly enqueuedAt: number;
}

/** What a loop holds: the message and its claim. */
export interface Held {
  readonly message: HeldMessage<unknown>;
  readonly fence: number;
  readonly leaseMs: number;
  readonly unreadable: Error | null;
}

/** What a delivery needs of its source. */
export interface DeliveryPort {
  /** Settles in the next call; rejects with LeaseLostError. */
  settle(outcome: HoldOutcome): Promise<void>;
  /** Prolongs the lease in the next call; rejects with LeaseLostError. */
  extend(delivery: BrokerDelivery): Promise<void>;
}

/** A held read: the message is reserved under a lease, and claimed for good by its ack. */
export class BrokerDelivery implements Delivery {
  /** The broker's producers name no limit. */
  readonly maxAttempts = null;
  private readonly revocation = new Revocation();

  constructor(
    private readonly held: Held,
    private readonly port: DeliveryPort,
  ) {}

  get message(): HeldMessage<unknown> {
    return this.held.message;
  }

  get fence(): number {
    return this.held.fence;
  }

  get leaseMs(): number {
    return this.held.leaseMs;
  }

  get unreadable(): Error | null {
    return this.held.unreadable;
  }

  onRevoked(listener: (reason: Error) => void): void {
    this.revocation.onRevoked(listener);
  }

  /** Tells the listeners, once, that this claim is void. */
  revoke(reason: Error): void {
    this.revocation.revoke(reason);
  }

  /** A broker keeps no results, whatever the handler returned. */
  async ack(): Promise<void> {
    await this.settle('ack', 0);
  }

  async nack({ error, retryInMs }: Rejection): Promise<void> {
    const reason = reasonOf(error);
    const verb = retryInMs === null ? 'fail' : 'retry';
    await this.settle(verb, Math.ceil(retryInMs ?? 0), reason);
  }

  async release(options: { readonly delayMs?: number } = {}): Promise<void> {
    await this.settle('release', checkDuration('delayMs', options.delayMs ?? 0, { min: 0 }));
  }

  extend(): Promise<void> {
    return this.port.extend(this);
  }

  private settle(verb: HoldOutcome['verb'], delayMs: number, reason = ''): Promise<void> {
    const { message, fence } = this.held;
    return this.port.settle({ verb, id: message.messageId, fence, delayMs, reason });
  }
}
