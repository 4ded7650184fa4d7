import { HeldDelivery, type Ending } from '../delivery/index.js';
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
export class JobDelivery extends HeldDelivery {
  /** When the lease ends unless it is extended, on the process's own monotonic clock. */
  leaseEndsAt: number;

  constructor(
    readonly message: ClaimedJob,
    private readonly port: DeliveryPort,
  ) {
    super();
    this.leaseEndsAt = performance.now() + message.leaseMs;
  }

  get fence(): number {
    return this.message.fence;
  }

  get leaseMs(): number {
    return this.message.leaseMs;
  }

  override get maxAttempts(): number | null {
    return this.message.maxAttempts;
  }

  get unreadable(): Error | null {
    return this.message.unreadable;
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

  extend(): Promise<void> {
    return this.port.extend(this);
  }

  protected end(ending: Ending): Promise<void> {
    const { id, token } = this.message;
    return this.port.settle(this, { ...ending, id, token });
  }
}
