import type { Delivery, Handler, HandlerLogger } from '../contract/index.js';
import type { Claims } from './claims.js';
import { InFlight } from './in-flight.js';
import type { LeaseKeeper } from './lease-keeper.js';
import type { ResolvedLoop } from './loop.options.js';
import { GIVEN_BACK, type Outcome } from './outcome.js';
import { codeOf } from './readable-error.js';
import type { RetryPolicy } from './retry-policy.js';
import { Run, type RunHost } from './run.js';
import type { Settler } from './settler.js';

/** What the slots need of their loop. */
export interface SlotsParts {
  readonly name: string;
  readonly handler: Handler;
  readonly logger: HandlerLogger;
  readonly options: ResolvedLoop;
  readonly policy: RetryPolicy;
  readonly keeper: LeaseKeeper;
  readonly settler: Settler;
  readonly claims: Claims;
}

/**
 * Where deliveries run: `concurrency` slots, and `prefetch` places before them.
 *
 * Each slot and place is a ticket. Whenever some are free they are claimed for in the tick in
 * which they came free; an ended run is settled without being waited for, so that its settle and
 * the next claim can share a round trip.
 */
export class Slots {
  private readonly host: RunHost;
  /** Claimed ahead, in the order of arrival. */
  private readonly ahead: Run[] = [];
  private readonly running = new InFlight<Run>();
  private readonly givenBack: Promise<void>[] = [];
  private isTurnDue = false;

  constructor(private readonly parts: SlotsParts) {
    this.host = {
      ...parts,
      timeoutMs: parts.options.timeoutMs,
      ended: (run, outcome) => this.ended(run, outcome),
      revoked: (run, reason) => this.revoked(run, reason),
    };
  }

  /** How many handlers run, and how many messages wait here for a slot. */
  get counts(): { readonly running: number; readonly prefetched: number } {
    return { running: this.running.size, prefetched: this.ahead.length };
  }

  /** Fills the slots from what was claimed ahead, then claims for every free ticket. */
  turn(): void {
    this.isTurnDue = false;
    const { options, claims } = this.parts;
    while (this.running.size < options.concurrency && this.ahead.length > 0)
      this.begin(this.ahead.shift() as Run);
    const taken = this.running.size + this.ahead.length + claims.tickets;
    const free = options.concurrency + options.prefetch - taken;
    if (free > 0) claims.ask(free);
  }

  /** Takes what a claim brought; after a stop it all goes back. */
  arrived(deliveries: readonly Delivery[]): void {
    for (const delivery of deliveries) this.take(delivery);
    // a source that keeps answering nothing must not starve the event loop
    if (deliveries.length === 0) setImmediate(() => this.turn());
    else this.turn();
  }

  /** Gives back what was claimed ahead; resolves when all that never started is given back. */
  async clear(claimsEnded: Promise<void>): Promise<void> {
    for (const run of this.ahead.splice(0)) this.giveBack(run);
    await claimsEnded;
    await Promise.all(this.givenBack);
  }

  /** Aborts every run and gives its message back. */
  cutShort(): void {
    for (const run of this.running) run.cutShort();
  }

  /** Resolves when no handler runs whose end still counts. */
  idle(): Promise<void> {
    return this.running.idle();
  }

  private take(delivery: Delivery): void {
    const run = new Run(delivery, this.host);
    if (run.revokedBy !== null) return;
    if (this.parts.claims.isStopped) return this.giveBack(run);
    this.parts.keeper.hold(run);
    this.ahead.push(run);
  }

  private giveBack(run: Run): void {
    run.forgo();
    this.givenBack.push(this.parts.settler.settle(run, GIVEN_BACK));
  }

  private begin(run: Run): void {
    this.running.add(run);
    run.start();
  }

  /** The turn is asked for before the settle: so its claim reaches the source in the same tick. */
  private ended(run: Run, outcome: Outcome | null): void {
    this.turnSoon();
    if (outcome === null) this.parts.keeper.drop(run);
    else void this.parts.settler.settle(run, outcome);
    this.running.delete(run);
  }

  private revoked(run: Run, reason: Error): void {
    this.parts.keeper.drop(run);
    const index = this.ahead.indexOf(run);
    if (index >= 0) this.ahead.splice(index, 1);
    this.turnSoon();
    if (codeOf(reason) !== 'LEASE_LOST') return;
    this.parts.logger.warn(`${this.parts.name}: nothing will be written: ${reason.message}`);
  }

  /** `nextTick` comes after all the handlers that end in this tick, and before any I/O. */
  private turnSoon(): void {
    if (this.isTurnDue) return;
    this.isTurnDue = true;
    process.nextTick(() => this.turn());
  }
}
