import { CancelledError, LeaseLostError } from '../errors/index.js';
import type { JobDelivery } from './job.delivery.js';

/** The deliveries of one queue that this process holds, so that a void claim reaches its handler. */
export class HeldJobs {
  private readonly byFence = new Map<number, JobDelivery>();

  get size(): number {
    return this.byFence.size;
  }

  /** Called when the first of them comes. */
  onBusy: () => void = () => undefined;

  add(delivery: JobDelivery): void {
    if (this.byFence.size === 0) this.onBusy();
    this.byFence.set(delivery.fence, delivery);
  }

  remove(delivery: JobDelivery): void {
    this.byFence.delete(delivery.fence);
  }

  /** Takes what upkeep answers, `<reason> <fence> <id>`: claims that the server voided. */
  revoke(voided: readonly string[]): void {
    this.dropLapsed();
    for (const entry of voided) {
      const [reason, fence] = entry.split(' ', 2);
      const delivery = this.byFence.get(Number(fence));
      if (delivery === undefined) continue;
      this.remove(delivery); // a revoked run settles nothing, so nobody else would
      delivery.revoke(revocationOf(reason, delivery.message.id));
    }
  }

  /** After a long partition neither an answer nor a revocation comes for what was held before. */
  private dropLapsed(): void {
    const longAgo = performance.now() - REVOKED_TTL_MS;
    for (const delivery of this.byFence.values()) {
      if (delivery.leaseEndsAt < longAgo) this.remove(delivery);
    }
  }
}

/** As long as the server tells of a voided claim, in milliseconds. */
const REVOKED_TTL_MS = 60_000;

function revocationOf(reason: string, id: string): Error {
  if (reason === 'cancelled') return new CancelledError(`job ${JSON.stringify(id)} was cancelled`);
  return new LeaseLostError(`job ${JSON.stringify(id)} was recovered from this holder`);
}
