import type { ClaimRequest, Delivery, DeliverySource } from '../contract/index.js';
import { CancelledError } from '../errors/index.js';
import { Exchange, type ExchangeReply } from '../redis/index.js';
import type { HeldJobs } from './held-jobs.js';
import { JobDelivery, type DeliveryPort } from './job.delivery.js';
import { lostLease, reasonOf, type JobClaims } from './job-claims.js';
import type { ClaimedJob } from './job.js';
import type { ClaimTerms, JobOutcome } from './outcome.js';

/** What a loop wants of its queue, checked and encoded. */
export interface SourceTerms extends Omit<ClaimTerms, 'limit'> {
  readonly slots: number;
}

interface Extension {
  readonly delivery: JobDelivery;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** Where a claim loop of the jobs engine claims from: settles and claims in one round trip. */
export class JobSource implements DeliverySource, DeliveryPort {
  private readonly exchange: Exchange<JobOutcome, ClaimedJob>;
  private extensions: Extension[] = [];

  constructor(
    private readonly claims: JobClaims,
    private readonly held: HeldJobs,
    private readonly terms: SourceTerms,
  ) {
    this.exchange = new Exchange(
      {
        send: (outcomes, limit) => this.send(outcomes, limit),
        wait: (timeoutMs, signal) => claims.wait({ types: terms.types, timeoutMs, signal }),
      },
      terms.slots,
    );
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
    await Promise.all(spare);
  }

  async settle(delivery: JobDelivery, outcome: JobOutcome): Promise<void> {
    const code = await this.exchange.settle(outcome);
    this.held.remove(delivery);
    if (code !== 1) throw lostLease(outcome.id, code);
  }

  extend(delivery: JobDelivery): Promise<void> {
    return new Promise((resolve, reject) => {
      this.extensions.push({ delivery, resolve, reject });
      if (this.extensions.length === 1) setImmediate(() => void this.sendExtensions());
    });
  }

  encodeResult(result: unknown): string | Buffer {
    return this.claims.encodeResult(result);
  }

  reasonOf(error: Error): string {
    return reasonOf(error);
  }

  private async send(
    outcomes: readonly JobOutcome[],
    limit: number,
  ): Promise<ExchangeReply<ClaimedJob>> {
    const { codes, claimed, nextInMs } = await this.claims.settle(outcomes, {
      ...this.terms,
      limit,
    });
    return { codes, items: claimed, nextInMs };
  }

  private async sendExtensions(): Promise<void> {
    const asked = this.extensions;
    this.extensions = [];
    try {
      const answers = await this.claims.extend(
        asked.map(({ delivery }) => delivery.message),
        { leaseMs: this.terms.leaseMs },
      );
      asked.forEach((one, at) => this.answer(one, answers[at]));
    } catch (error) {
      for (const one of asked) one.reject(error);
    }
  }

  private answer(
    { delivery, resolve, reject }: Extension,
    answer: 'extended' | 'lost' | 'cancelled',
  ): void {
    if (answer === 'extended') return resolve();
    const { id } = delivery.message;
    const reason =
      answer === 'cancelled'
        ? new CancelledError(`job ${JSON.stringify(id)} was cancelled`)
        : lostLease(id, 0);
    this.held.remove(delivery);
    delivery.revoke(reason);
    reject(lostLease(id, answer === 'cancelled' ? -1 : 0));
  }
}
