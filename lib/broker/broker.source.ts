import type { ClaimRequest, Delivery, DeliverySource } from '../contract/index.js';
import { LeaseLostError } from '../errors/index.js';
import { Exchange, Gatherer, NO_HEADERS, type ExchangeReply } from '../delivery/index.js';
import { ActivityWaiter } from './activity.waiter.js';
import type { HeldRow, HoldOutcome } from './broker.holds.js';
import type { BrokerCore } from './broker.core.js';
import { BrokerDelivery, type DeliveryPort, type Held } from './broker.delivery.js';
import { formatId, writtenAt } from './ids.js';

/** What a loop wants of its queue, checked. */
export interface SourceTerms {
  readonly queue: string;
  readonly slots: number;
  readonly leaseMs: number;
  readonly attempts: number;
}

/** Holds prolonged in one call. */
const MAX_EXTENSIONS = 500;
/** An idle loop looks this often, in milliseconds, since a wake-up may be lost. */
const LOOK_EVERY_MS = 5_000;

/** Where a claim loop of the broker claims from: held reads, settled and taken in one round trip. */
export class BrokerSource implements DeliverySource, DeliveryPort {
  private readonly exchange: Exchange<HoldOutcome, Held>;
  private readonly extensions: Gatherer<BrokerDelivery, boolean>;
  private activity: Promise<ActivityWaiter> | null = null;

  constructor(
    private readonly core: BrokerCore,
    private readonly terms: SourceTerms,
  ) {
    this.exchange = new Exchange(
      {
        send: (outcomes, limit) => this.send(outcomes, limit),
        wait: (timeoutMs, signal) => this.wait(timeoutMs, signal),
      },
      terms.slots,
    );
    this.extensions = new Gatherer({
      maxItems: MAX_EXTENSIONS,
      send: (deliveries) => this.prolong(deliveries),
    });
  }

  async claim(request: ClaimRequest): Promise<readonly Delivery[]> {
    const held = await this.exchange.claim(request);
    return held.map((one) => new BrokerDelivery(one, this));
  }

  async close(): Promise<void> {
    await this.exchange.flush();
    const spare = this.exchange.takeSpare().map((one) => new BrokerDelivery(one, this).release());
    await Promise.allSettled(spare); // one whose lease is over comes back by itself
    const activity = await this.activity?.catch(() => null);
    await activity?.close();
  }

  async settle(outcome: HoldOutcome): Promise<void> {
    if ((await this.exchange.settle(outcome)) !== 1) throw lostLease(formatId(outcome.id));
  }

  async extend(delivery: BrokerDelivery): Promise<void> {
    if (await this.extensions.add(delivery)) return;
    const lost = lostLease(delivery.message.id);
    delivery.revoke(lost);
    throw lost;
  }

  private prolong(deliveries: readonly BrokerDelivery[]): Promise<readonly boolean[]> {
    const { queue, leaseMs } = this.terms;
    const holds = deliveries.map(({ message, fence }) => ({ id: message.messageId, fence }));
    return this.core.backend.holds.extend(queue, holds, leaseMs);
  }

  /** Listens before it looks, so that nothing written between look and wait is missed. */
  private async send(
    outcomes: readonly HoldOutcome[],
    limit: number,
  ): Promise<ExchangeReply<Held>> {
    if (limit > 0) (await this.listen()).forget();
    else if (outcomes.length === 0) return { codes: [], items: [], nextInMs: -1 };
    const { queue, leaseMs, attempts } = this.terms;
    const { keepDead } = this.core.settings;
    const request = { queue, outcomes, limit: Math.max(0, limit), leaseMs, attempts, keepDead };
    const { codes, rows, nextInMs } = await this.core.backend.holds.settle(request);
    for (const { verb } of outcomes) if (verb === 'ack') this.core.mutated();
    return { codes, items: rows.map((row) => this.held(row)), nextInMs };
  }

  private async wait(timeoutMs: number, signal: AbortSignal): Promise<void> {
    const activity = await this.listen().catch(() => null);
    const timeout = Math.min(Math.ceil(timeoutMs), LOOK_EVERY_MS);
    await activity?.wait({ timeoutMs: Math.max(1, timeout), signal });
  }

  private listen(): Promise<ActivityWaiter> {
    return (this.activity ??= ActivityWaiter.open(this.core, [this.terms.queue]).catch(
      (error: unknown) => {
        this.activity = null;
        throw error;
      },
    ));
  }

  private held(row: HeldRow): Held {
    const { queue, leaseMs } = this.terms;
    const { id, body, unreadable } = this.core.message(queue, row);
    return {
      message: {
        id: formatId(id),
        messageId: id,
        queue,
        name: '',
        payload: body,
        headers: NO_HEADERS,
        attempt: row.attempt,
        enqueuedAt: writtenAt(id),
      },
      fence: row.fence,
      leaseMs,
      unreadable,
    };
  }
}

function lostLease(id: string): LeaseLostError {
  return new LeaseLostError(`the message ${id} is not held: its lease is over or it was settled`);
}
