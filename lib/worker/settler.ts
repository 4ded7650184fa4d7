import type { Delivery, HandlerLogger } from '../contract/index.js';
import { Backoff } from './backoff.js';
import type { FailureLog } from './failure-log.js';
import { InFlight } from './in-flight.js';
import { isGone, type LeaseKeeper } from './lease-keeper.js';
import { failure, type Outcome } from './outcome.js';
import { Pauses } from './pauses.js';
import { codeOf, propertyOf, readableError } from './readable-error.js';
import type { RetryPolicy } from './retry-policy.js';
import type { Run } from './run.js';

/** What a settler needs of its loop. */
export interface SettlerParts {
  readonly name: string;
  readonly keeper: LeaseKeeper;
  readonly policy: RetryPolicy;
  readonly failures: FailureLog;
  readonly logger: HandlerLogger;
}

/** Writes outcomes, and keeps at it while the lease lives. */
export class Settler {
  private readonly open = new InFlight<Run>();
  private readonly pauses = new Pauses();
  private isHurried = false;

  constructor(private readonly parts: SettlerParts) {}

  /** How many outcomes are not written yet. */
  get size(): number {
    return this.open.size;
  }

  /** Writes one outcome; the lease is kept until it is written or given up. Never rejects. */
  async settle(run: Run, outcome: Outcome): Promise<void> {
    this.open.add(run);
    try {
      await this.carryOut(run, outcome);
    } catch (error) {
      await this.rescue(run, outcome, error);
    } finally {
      this.parts.keeper.drop(run);
      this.open.delete(run);
    }
  }

  /** Resolves as soon as every outcome is written or given up. */
  idle(): Promise<void> {
    return this.open.idle();
  }

  /** The time is over: one last try for each, then the leases must bring the messages back. */
  hurry(): void {
    this.isHurried = true;
    this.pauses.end();
  }

  private async carryOut(run: Run, outcome: Outcome): Promise<void> {
    await write(run.delivery, outcome);
    this.parts.failures.recovered();
    if (outcome.kind === 'nack') this.tellFailure(run, outcome);
  }

  private rescue(run: Run, outcome: Outcome, error: unknown): Promise<void> {
    const isRefused = outcome.kind === 'ack' && codeOf(error) === 'INVALID_PAYLOAD';
    if (!isRefused) return this.insist(run, outcome, error);
    // a result that cannot be stored is a failure like any other, with a readable reason
    return this.settle(run, failure(readableError(error), run.delivery, this.parts.policy));
  }

  /** A settle is idempotent by its token, so one whose reply was lost is simply sent again. */
  private async insist(run: Run, outcome: Outcome, first: unknown): Promise<void> {
    const backoff = new Backoff({ minMs: 50, maxMs: Math.min(5_000, run.delivery.leaseMs / 5) });
    let error = first;
    let isAmbiguous = false;
    while (this.mayInsist(run, error)) {
      isAmbiguous ||= propertyOf(error, 'outcomeAmbiguous') === true;
      this.parts.failures.failed(readableError(error));
      await this.pauses.wait(backoff.next());
      try {
        return await this.carryOut(run, outcome);
      } catch (next) {
        error = next;
      }
    }
    this.tellUnwritten(run, readableError(error), isAmbiguous);
  }

  private mayInsist(run: Run, error: unknown): boolean {
    const isRetryable = propertyOf(error, 'retryable') === true;
    return isRetryable && run.revokedBy === null && !this.isHurried;
  }

  private tellUnwritten(run: Run, error: Error, isAmbiguous: boolean): void {
    const { name, logger } = this.parts;
    const what = `${name}: the outcome of ${run.delivery.message.id} was not written`;
    if (!isGone(error)) logger.error(`${what}, its lease brings it back: ${error.message}`);
    else if (!isAmbiguous) logger.warn(`${what}: ${error.message}`);
    // else the first try, whose reply was lost, most likely got through
  }

  private tellFailure(run: Run, { error, retryInMs }: Outcome & { kind: 'nack' }): void {
    const { name, logger } = this.parts;
    const { id, attempt } = run.delivery.message;
    const what = `${name}: attempt ${attempt} of ${id} failed`;
    if (retryInMs !== null)
      logger.debug?.(`${what}, the next one in ${retryInMs} ms: ${error.message}`);
    else logger.error(`${what}, it goes to the dead letters: ${error.message}`, error.stack);
  }
}

async function write(delivery: Delivery, outcome: Outcome): Promise<void> {
  if (outcome.kind === 'ack') return delivery.ack(outcome.result);
  if (outcome.kind === 'release') return delivery.release({ delayMs: outcome.delayMs });
  return delivery.nack({ error: outcome.error, retryInMs: outcome.retryInMs });
}
