import { setMaxListeners } from 'node:events';
import type { ClaimRequest, Delivery, DeliverySource } from '../contract/index.js';
import { Backoff } from './backoff.js';
import type { FailureLog } from './failure-log.js';
import { InFlight } from './in-flight.js';
import { readableError } from './readable-error.js';

/** What the claims need of their loop, and what they tell it. */
export interface ClaimsParts {
  readonly source: DeliverySource;
  readonly failures: FailureLog;
  /** A claim was answered; its tickets are free again, less those that the deliveries take. */
  arrived(deliveries: readonly Delivery[]): void;
  /** A pause after a failure is over: time to ask again. */
  resumed(): void;
}

/**
 * The claims in the air.
 *
 * A failure stops all claims of the loop for a pause that grows, and the next one asks for all
 * free tickets at once: an outage costs a few calls, however many slots there are.
 */
export class Claims {
  /** How many deliveries the claims in the air may still bring. */
  tickets = 0;
  /** When the source last answered, in epoch milliseconds of this host; for display only. */
  lastAnswerAt: number | null = null;
  private readonly open = new InFlight<ClaimRequest>();
  private readonly stopper = new AbortController();
  private readonly backoff = new Backoff({ minMs: 100, maxMs: 5_000 });
  private pause: NodeJS.Timeout | undefined;

  constructor(private readonly parts: ClaimsParts) {
    // A listener a claim in the air, and of those one a slot: more than ten are no leak here.
    setMaxListeners(0, this.stopper.signal);
  }

  get isStopped(): boolean {
    return this.stopper.signal.aborted;
  }

  /** Claims up to `limit` deliveries, unless it is stopped or pauses. */
  ask(limit: number): void {
    if (this.isStopped || this.pause !== undefined) return;
    const request = { limit, signal: this.stopper.signal };
    this.open.add(request);
    this.tickets += limit;
    void this.send(request);
  }

  /** Ends the claims in the air; resolves when all of them have answered. */
  stop(): Promise<void> {
    clearTimeout(this.pause);
    this.stopper.abort();
    return this.open.idle();
  }

  private async send(request: ClaimRequest): Promise<void> {
    const deliveries = await this.answer(request);
    this.tickets -= request.limit;
    if (deliveries !== null) this.parts.arrived(deliveries);
    this.open.delete(request);
  }

  private async answer(request: ClaimRequest): Promise<readonly Delivery[] | null> {
    try {
      const deliveries = await this.parts.source.claim(request);
      this.lastAnswerAt = Date.now();
      this.backoff.reset();
      this.parts.failures.recovered();
      return deliveries;
    } catch (error) {
      if (!this.isStopped) this.failed(readableError(error));
      return null;
    }
  }

  /** Claims that were in the air together fail together: the first of them sets the pause. */
  private failed(error: Error): void {
    this.parts.failures.failed(error);
    this.pause ??= setTimeout(() => {
      this.pause = undefined;
      this.parts.resumed();
    }, this.backoff.next()).unref();
  }
}
