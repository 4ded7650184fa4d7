import { checkDuration, checkKeys, reasonOf } from '../errors/index.js';
import { pause, type KeySpace } from '../redis/index.js';
import {
  checkClaim,
  checkHandle,
  checkNack,
  checkRelease,
  type ClaimPlan,
} from './claim-arguments.js';
import { GroupClaims } from './group-claims.js';
import type { ClaimedMessage, ClaimOptions, MessageHandle, NackOptions } from './group-message.js';
import type { GroupsCore } from './groups.core.js';
import type { GroupOutcome } from './outcome.js';

/** A claim that is kept away from low tiers looks that often, since the bell rings for all tiers. */
const LOOK_EVERY_MS = 200;

/** How a settle by hand ends a message. */
type Ending = Pick<GroupOutcome, 'verb'> & Partial<Pick<GroupOutcome, 'delayMs' | 'reason'>>;

/** Claiming and settling by hand, one call each; see `GroupTransport`. */
export class ManualClaims {
  private readonly claims: GroupClaims;

  constructor(
    private readonly core: GroupsCore,
    space: KeySpace,
    topic: string,
  ) {
    this.claims = new GroupClaims(core, space, topic);
  }

  async claim(options: ClaimOptions): Promise<ClaimedMessage[]> {
    const plan = checkClaim(options, this.core.settings);
    return plan.terms.passes === '' ? [] : this.claimWithin(plan);
  }

  ack(message: MessageHandle): Promise<boolean> {
    return this.settle(message, { verb: 'ack' });
  }

  nack(message: MessageHandle, options: NackOptions): Promise<boolean> {
    return this.settle(message, { verb: 'retry', ...checkNack(options) });
  }

  release(message: MessageHandle, options: { readonly delayMs?: number }): Promise<boolean> {
    return this.settle(message, { verb: 'release', delayMs: checkRelease(options) });
  }

  deadLetter(message: MessageHandle, reason: Error | string): Promise<boolean> {
    return this.settle(message, { verb: 'fail', reason: reasonOf(reason) });
  }

  async extend(message: MessageHandle, options: { readonly leaseMs?: number }): Promise<boolean> {
    checkKeys('options', options, ['leaseMs']);
    const { group, token, leaseMs: own } = checkHandle(message, this.core.settings.leaseMs);
    const { leaseMs = own } = options;
    checkDuration('leaseMs', leaseMs);
    const [code] = await this.claims.extend([group, token], leaseMs);
    return code === 1;
  }

  private async claimWithin({ terms, waitMs, signal }: ClaimPlan): Promise<ClaimedMessage[]> {
    const endsAt = performance.now() + waitMs;
    while (!isAborted(signal)) {
      const { leases, nextInMs } = await this.claims.settle([], terms, signal);
      const leftMs = Math.ceil(endsAt - performance.now());
      if (leases.length > 0 || leftMs <= 0) return leases.flat();
      // a lease that others take meanwhile may lapse as soon as this, and rings no bell
      const dueMs = Math.min(leftMs, terms.leaseMs, nextInMs < 0 ? Infinity : nextInMs);
      if (terms.passes.includes('0')) await this.claims.wait(dueMs, signal);
      else await pause(Math.min(dueMs, LOOK_EVERY_MS), signal);
    }
    return [];
  }

  private async settle(message: MessageHandle, ending: Ending): Promise<boolean> {
    const { maxAttempts, leaseMs: defaultMs } = this.core.settings;
    const { group, token, position, leaseMs } = checkHandle(message, defaultMs);
    const done = ending.verb === 'ack' ? position + 1 : position;
    const outcome = { delayMs: 0, reason: '', ...ending, group, token, done };
    const attempts = maxAttempts ?? 0;
    const terms = { limit: -1, leaseMs, batch: 1, attempts, passes: '', exact: true };
    const { codes } = await this.claims.settle([outcome], terms);
    return codes[0] > 0;
  }
}

function isAborted(signal: AbortSignal | undefined): boolean {
  return signal?.aborted ?? false;
}
