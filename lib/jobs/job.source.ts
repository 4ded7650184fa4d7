import type { ClaimRequest, Delivery, DeliverySource } from '../contract/index.js';
import { CancelledError } from '../errors/index.js';
import { Exchange, Gatherer, type ExchangeReply } from '../delivery/index.js';
import type { HeldJobs } from './held-jobs.js';
import { JobDelivery, type DeliveryPort } from './job.delivery.js';
import { lostLease, type JobClaims } from './job-claims.js';
import type { ClaimedJob } from './job.js';
import { MAX_BATCH } from './jobs.options.js';
import type { ClaimTerms, JobOutcome } from './outcome.js';

/** What a loop wants of its queue, checked and encoded. */
export interface SourceTerms extends Omit<ClaimTerms, 'limit'> {
  readonly slots: number;
}

type ExtendAnswer = Awaited<ReturnType<JobClaims['extend']>>[number];

/** Where a claim loop of the jobs engine claims from: settles and claims in one round trip. */
export class JobSource implements DeliverySource, DeliveryPort {
  private readonly exchange: Exchange<JobOutcome, ClaimedJob>;
  private readonly extensions: Gatherer<JobDelivery, ExtendAnswer>;

  constructor(
    private readonly claims: JobClaims,
    private readonly held: HeldJobs,
    private readonly terms: SourceTerms,
  ) {
    this.exchange = new Exchange(
      {
        send: (outcomes, limit, signal) => this.send(outcomes, limit, signal),
        wait: (timeoutMs, signal) => claims.wait({ types: terms.types, timeoutMs, signal }),
      },
      terms.slots,
    );
    this.extensions = new Gatherer({
      maxItems: MAX_BATCH,
      send: (deliveries) =>
        claims.extend(
          deliveries.map(({ message }) => message),
          { leaseMs: terms.leaseMs },
        ),
    });
  }

  async claim(request: ClaimRequest): Promise<readonly Delivery[]> {
    const jobs = await this.exchange.claim(request);
    return jobs.map((job) => {
      const delivery = new JobDelivery(job, this);
      this.held.add(delivery);
      return delivery;
    });
  }

  async close(): Promise<void> {
    await this.exchange.flush();
    const spare = this.exchange.takeSpare().map((job) => new JobDelivery(job, this).release());
    await Promise.allSettled(spare); // one whose lease is over comes back by itself
  }

  async settle(delivery: JobDelivery, outcome: JobOutcome): Promise<void> {
    const code = await this.exchange.settle(outcome);
    this.held.remove(delivery);
    if (code !== 1) throw lostLease(outcome.id, code);
  }

  async extend(delivery: JobDelivery): Promise<void> {
    const answer = await this.extensions.add(delivery);
    if (answer === 'extended') {
      delivery.leaseEndsAt = performance.now() + delivery.leaseMs;
      return;
    }
    const { id } = delivery.message;
    this.held.remove(delivery);
    delivery.revoke(
      answer === 'cancelled'
        ? new CancelledError(`job ${JSON.stringify(id)} was cancelled`)
        : lostLease(id, 0),
    );
    throw lostLease(id, answer === 'cancelled' ? -1 : 0);
  }

  encodeResult(result: unknown): string | Buffer {
    return this.claims.encodeResult(result);
  }

  private async send(
    outcomes: readonly JobOutcome[],
    limit: number,
    signal: AbortSignal | undefined,
  ): Promise<ExchangeReply<ClaimedJob>> {
    const terms = { ...this.terms, limit };
    const { codes, claimed, nextInMs } = await this.claims.settle(outcomes, terms, signal);
    return { codes, items: claimed, nextInMs };
  }
}
