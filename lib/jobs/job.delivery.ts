import type { Delivery, Rejection } from '../contract/index.js';
import { checkDuration, reasonOf } from '../errors/index.js';
import { Revocation } from '../redis/index.js';
import type { ClaimedJob } from './job.js';
import type { JobOutcome } from './outcome.js';

/** What a delivery needs of its source. */
export interface DeliveryPort {
  /** Settles in the next call; rejects with LeaseLostError. */
  settle(delivery: JobDelivery, outcome: JobOutcome): Promise<void>;
  /** Prolongs the lease in the next call; rejects with LeaseLostError. */
  extend(delivery: JobDelivery): Promise<void>;
  encodeResult(result: unknown): string | Buffer;
}

/** A job held by a claim loop of this process. */
export class JobDelivery implements Delivery {
  /** When the lease ends unless it is extended, on the process's own monotonic clock. */
  leaseEndsAt: number;
  private readonly revocation = new Revocation();

  constructor(
    readonly message: ClaimedJob,
    private readonly port: DeliveryPort,
  ) {
    this.leaseEndsAt = performance.now() + message.leaseMs;
  }

  get fence(): number {
    return this.message.fence;
  }

  get leaseMs(): number {
    return this.message.leaseMs;
  }

  get maxAttempts(): number | null {
    return this.message.maxAttempts;
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

  /** A result that cannot be stored makes the run an ordinary failure: it rejects before any write. */
  async ack(result?: unknown): Promise<void> {
    const { id, token } = this.message;
    await this.port.settle(this, {
      verb: 'ack',
      id,
      token,
      result: this.port.encodeResult(result),
    });
  }

  nack({ error, retryInMs }: Rejection): Promise<void> {
    const { id, token } = this.message;
    const reason = reasonOf(error);
    const verb = retryInMs === null ? 'fail' : 'retry';
    return this.port.settle(this, { verb, id, token, delayMs: Math.ceil(retryInMs ?? 0), reason });
  }

  async release(options: { readonly delayMs?: number } = {}): Promise<void> {
    const { id, token } = this.message;
    const delayMs = checkDuration('delayMs', options.delayMs ?? 0, { min: 0 });
    await this.port.settle(this, { verb: 'release', id, token, delayMs, reason: '' });
  }

  extend(): Promise<void> {
    return this.port.extend(this);
  }
}
