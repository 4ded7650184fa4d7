import { HeldDelivery, type Ending } from '../delivery/index.js';
import type { ClaimedMessage } from './group-message.js';

/** What a delivery needs of the lease that it belongs to. */
export interface DeliveryPort {
  ack(delivery: GroupDelivery): Promise<void>;
  end(delivery: GroupDelivery, ending: Ending): Promise<void>;
  extend(delivery: GroupDelivery): Promise<void>;
}

/** A message held by a claim loop of this process. */
export class GroupDelivery extends HeldDelivery {
  constructor(
    readonly message: ClaimedMessage,
    private readonly lease: DeliveryPort,
  ) {
    super();
  }

  get fence(): number {
    return this.message.fence;
  }

  get leaseMs(): number {
    return this.message.leaseMs;
  }

  get unreadable(): Error | null {
    return this.message.unreadable;
  }

  /** Results are not kept on this engine, whatever the handler returned. */
  ack(): Promise<void> {
    return this.lease.ack(this);
  }

  extend(): Promise<void> {
    return this.lease.extend(this);
  }

  protected end(ending: Ending): Promise<void> {
    return this.lease.end(this, ending);
  }
}
