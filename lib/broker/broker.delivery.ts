import type { Message } from '../contract/index.js';
import { HeldDelivery, type Ending } from '../delivery/index.js';
import type { HoldOutcome } from './broker.holds.js';

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
export class BrokerDelivery extends HeldDelivery {
  constructor(
    private readonly held: Held,
    private readonly port: DeliveryPort,
  ) {
    super();
  }

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

  /** A broker keeps no results, whatever the handler returned. */
  ack(): Promise<void> {
    return this.settle('ack', 0, '');
  }

  extend(): Promise<void> {
    return this.port.extend(this);
  }

  protected end({ verb, delayMs, reason }: Ending): Promise<void> {
    return this.settle(verb, delayMs, reason);
  }

  private settle(verb: HoldOutcome['verb'], delayMs: number, reason: string): Promise<void> {
    const { message, fence } = this.held;
    return this.port.settle({ verb, id: message.messageId, fence, delayMs, reason });
  }
}
