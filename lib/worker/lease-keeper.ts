import type { Delivery } from '../contract/index.js';
import { LeaseLostError } from '../errors/index.js';
import type { FailureLog } from './failure-log.js';
import { codeOf, readableError } from './readable-error.js';

/** Something that holds a delivery and wants to know when it does so no longer. */
export interface Held {
  readonly delivery: Delivery;
  revoke(reason: Error): void;
}

interface Lease {
  /** From when on it is extended, and when it is certainly over; on this process' own clock. */
  extendAt: number;
  endsAt: number;
  isInAir: boolean;
  hasFailed: boolean;
}

/** How many times the keeper looks at its leases within the shortest of them. */
const BEATS_A_LEASE = 10;

/**
 * Keeps the leases of everything that is held here.
 *
 * One timer for all: at each beat (a tenth of the lease) it extends, in one tick, every lease
 * whose first third ends before the next beat, so that a source can send them together. A failed
 * extension is tried again at each beat; when the lease is certainly over the holder is revoked.
 */
export class LeaseKeeper {
  private readonly leases = new Map<Held, Lease>();
  private timer: NodeJS.Timeout | undefined;
  private beatMs = Infinity;

  constructor(private readonly failures: FailureLog) {}

  /** Keeps a lease that was claimed just now. */
  hold(held: Held): void {
    const lease = { extendAt: 0, endsAt: 0, isInAir: false, hasFailed: false };
    const { leaseMs } = held.delivery;
    if (leaseMs / BEATS_A_LEASE < this.beatMs) this.beatEvery(leaseMs / BEATS_A_LEASE);
    this.renewed(held, lease);
    this.leases.set(held, lease);
  }

  /** The delivery is settled or lost: nothing to keep. */
  drop(held: Held): void {
    this.leases.delete(held);
  }

  /**
   * Extends one lease now.
   *
   * @throws LeaseLostError when it is not held any more; the holder was then revoked
   */
  async extend(held: Held): Promise<void> {
    const lease = this.leases.get(held);
    if (lease === undefined) throw new LeaseLostError(`${nameOf(held)} is not held here any more`);
    lease.isInAir = true;
    try {
      await held.delivery.extend();
      this.renewed(held, lease);
      this.failures.recovered();
    } catch (error) {
      this.failed(held, lease, readableError(error));
      throw error;
    } finally {
      lease.isInAir = false;
    }
  }

  stop(): void {
    clearInterval(this.timer);
    this.leases.clear();
  }

  private beatEvery(ms: number): void {
    this.beatMs = ms;
    clearInterval(this.timer);
    const everyMs = Math.min(Math.max(1, Math.floor(ms)), 2 ** 31 - 1);
    this.timer = setInterval(() => this.beat(), everyMs).unref();
  }

  private beat(): void {
    const now = performance.now();
    for (const [held, lease] of this.leases) {
      if (now >= lease.endsAt && (lease.isInAir || lease.hasFailed)) this.lose(held);
      // its failure was dealt with inside
      else if (now >= lease.extendAt && !lease.isInAir) this.extend(held).catch(() => undefined);
    }
  }

  /** Counted from the answer: the server began to count before, so that after it all is over. */
  private renewed(held: Held, lease: Lease): void {
    const { leaseMs } = held.delivery;
    const now = performance.now();
    lease.extendAt = now + leaseMs / 3 - this.beatMs;
    lease.endsAt = now + leaseMs;
    lease.hasFailed = false;
  }

  /** A delivery that was settled while the extension travelled is no longer ours to judge. */
  private failed(held: Held, lease: Lease, error: Error): void {
    if (this.leases.get(held) !== lease) return;
    if (isGone(error)) return this.lose(held, error);
    lease.hasFailed = true;
    lease.extendAt = 0;
    this.failures.failed(error);
  }

  private lose(
    held: Held,
    reason: Error = new LeaseLostError(`the lease of ${nameOf(held)} ran out unextended`),
  ): void {
    this.drop(held);
    held.revoke(reason);
  }
}

/** Whether the message is no longer this holder's: lost to the lease or cancelled. */
export function isGone(error: unknown): boolean {
  const code = codeOf(error);
  return code === 'LEASE_LOST' || code === 'CANCELLED';
}

function nameOf({ delivery: { message } }: Held): string {
  return `message ${message.id} of ${message.queue}`;
}
