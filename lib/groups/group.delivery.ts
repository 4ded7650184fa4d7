import type { Delivery, Rejection } from '../contract/index.js';
import { checkDuration, reasonOf } from '../errors/index.js';
import { Revocation } from '../redis/index.js';
import type { ClaimedMessage } from './group-message.js';

/** What a delivery needs of the lease that it belongs to. */
export interface DeliveryPort {
  ack(delivery: GroupDelivery): Promise<void>;
  end(delivery: GroupDelivery, ending: Ending): Promise<void>;
  extend(delivery: GroupDelivery): Promise<void>;
}

/** How a message that is not acked ends. */
export interface Ending {
  readonly verb: 'nack' | 'dead' | 'release';
  readonly delayMs: number;
  readonly reason: string;
}

/** A message held by a claim loop of this process. */
export class GroupDelivery implements Delivery {
  /** Producers name no limit of attempts on this engine. */
  readonly maxAttempts = null;
  private readonly revocation = new Revocation();

  constructor(
    readonly message: ClaimedMessage,
    private readonly lease: DeliveryPort,
  ) {}

  get fence(): number {
    return this.message.fence;
  }

  get leaseMs(): number {
    return this.message.leaseMs;
  }

  get unreadable(): Error | null {
    return this.message.unreadable;
  }

  onRevoked(listener: (reason: Error) => void): void {
    this.revocation.onRevoked(listener);
  }

  /** Tells the listeners, once, that this claim is void. */
  revoke(reason: Error): void {
    this.revocation.revoke(reason);
  }

  /** Results are not kept on this engine, whatever the handler returned. */
  ack(): Promise<void> {
    return this.lease.ack(this);
  }

  async nack({ error, retryInMs }: Rejection): Promise<void> {
    const verb = retryInMs === null ? 'dead' : 'nack';
    const delayMs = Math.ceil(retryInMs ?? 0);
    await this.lease.end(this, { verb, delayMs, reason: reasonOf(error) });
  }

  async release(options: { readonly delayMs?: number } = {}): Promise<void> {
    const delayMs = checkDuration('delayMs', options.delayMs ?? 0, { min: 0 });
    await this.lease.end(this, { verb: 'release', delayMs, reason: '' });
  }

  extend(): Promise<void> {
    return this.lease.extend(this);
  }
}
