import type { ClaimRequest, Delivery, DeliverySource, LoopTarget } from '../contract/index.js';
import { ClosedError, checkInteger } from '../errors/index.js';
import type { MemoryQueue } from './memory-queue.js';

/** Claims from one queue of a `MemoryEngine`. */
export class MemorySource implements DeliverySource {
  private isClosed = false;

  constructor(
    private readonly queue: MemoryQueue,
    private readonly target: LoopTarget,
  ) {}

  /** @throws InvalidOptionError, and ClosedError when called after `close` */
  async claim({ limit, signal }: ClaimRequest): Promise<readonly Delivery[]> {
    checkInteger('limit', limit, { min: 1 });
    if (this.isClosed) throw new ClosedError('the source');
    // a server is a round trip away: whoever claims in a loop leaves room for timers and I/O
    await new Promise((resolve) => setImmediate(resolve));
    while (!signal.aborted && !this.isClosed) {
      const deliveries = this.queue.claim(limit, this.target);
      if (deliveries.length > 0) return deliveries;
      await this.queue.waiters.wait(signal, this.queue.upkeep().nextInMs);
    }
    return [];
  }

  /** Ends the claims that wait. Settles need no sending, they were carried out at once. */
  close(): Promise<void> {
    this.isClosed = true;
    this.queue.waiters.ring();
    return Promise.resolve();
  }
}
