import type { ClaimRequest, Delivery, DeliverySource } from '../contract/index.js';
import { Exchange, Gatherer, type ExchangeReply } from '../delivery/index.js';
import type { ClaimTerms, GroupClaims } from './group-claims.js';
import type { ClaimedMessage } from './group-message.js';
import { MAX_BATCH } from './groups.options.js';
import { HeldLease, type LeasePort } from './held-lease.js';
import type { GroupOutcome } from './outcome.js';
import { nextPasses, type ResolvedTiers } from './tiers.js';

/** What a loop wants of its topic, checked. */
export interface SourceTerms extends Omit<ClaimTerms, 'limit' | 'passes'> {
  readonly slots: number;
  readonly tiers: ResolvedTiers;
}

/** An outcome on its way, and who wants to know when it leaves. */
interface Sending {
  readonly outcome: GroupOutcome;
  readonly onSend: () => void;
}

const doNothing = (): void => undefined;

/** Where a claim loop of the groups engine claims from: settles and claims in one round trip. */
export class GroupSource implements DeliverySource, LeasePort {
  private readonly exchange: Exchange<Sending, ClaimedMessage[]>;
  private readonly extensions: Gatherer<HeldLease, number>;
  /** Held here, with a message that may begin. */
  private offered: HeldLease[] = [];
  private lastRequest: ClaimRequest | null = null;

  constructor(
    private readonly claims: GroupClaims,
    private readonly terms: SourceTerms,
  ) {
    const { slots, leaseMs } = terms;
    const port = {
      send: (sendings: readonly Sending[], limit: number, signal?: AbortSignal) =>
        this.send(sendings, limit, signal),
      // a lease that others take meanwhile may lapse as soon as this, and rings no bell
      wait: (timeoutMs: number, signal: AbortSignal) =>
        claims.wait(Math.min(timeoutMs, leaseMs), signal),
    };
    this.exchange = new Exchange(port, slots);
    const pairOf = ({ group, token }: HeldLease) => [group, token];
    const extend = (leases: readonly HeldLease[]) => claims.extend(leases.flatMap(pairOf), leaseMs);
    this.extensions = new Gatherer({ maxItems: MAX_BATCH, send: extend });
  }

  get isStopped(): boolean {
    return this.lastRequest?.signal.aborted ?? false;
  }

  async claim(request: ClaimRequest): Promise<readonly Delivery[]> {
    this.lastRequest = request;
    const here = request.signal.aborted ? [] : this.takeOffered(request.limit);
    if (here.length > 0) return here.map((lease) => lease.deliver());
    const leases = await this.exchange.claim(request);
    return leases.map((messages) => new HeldLease(messages, this).deliver());
  }

  async close(): Promise<void> {
    const waiting = this.takeOffered(Infinity).map((lease) => lease.giveBack());
    await Promise.all([...waiting, this.exchange.flush()]);
    const spare = this.exchange.takeSpare().map((messages) => new HeldLease(messages, this));
    await Promise.all(spare.map((lease) => lease.giveBack()));
  }

  offer(lease: HeldLease): void {
    this.offered.push(lease);
  }

  settle(outcome: GroupOutcome, onSend: () => void = doNothing): Promise<number> {
    return this.exchange.settle({ outcome, onSend });
  }

  async extend(lease: HeldLease): Promise<boolean> {
    return (await this.extensions.add(lease)) === 1;
  }

  /** Leases that are gone by now are left out. */
  private takeOffered(limit: number): HeldLease[] {
    if (this.offered.length === 0) return [];
    this.offered = this.offered.filter(({ isGone }) => !isGone);
    return this.offered.splice(0, limit);
  }

  private async send(
    sendings: readonly Sending[],
    limit: number,
    signal: AbortSignal | undefined,
  ): Promise<ExchangeReply<ClaimedMessage[]>> {
    const { leaseMs, batch, attempts, tiers } = this.terms;
    const terms = { limit, leaseMs, batch, attempts, passes: nextPasses(tiers) };
    for (const { onSend } of sendings) onSend();
    const outcomes = sendings.map(({ outcome }) => outcome);
    const { codes, leases, nextInMs } = await this.claims.settle(outcomes, terms, signal);
    return { codes, items: leases, nextInMs };
  }
}
