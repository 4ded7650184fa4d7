import type { Ending, RetentionLimits } from '../delivery/index.js';

/** How a run ended, as the settle script takes it. */
export type JobOutcome =
  | {
      readonly verb: 'ack';
      readonly id: string;
      readonly token: string;
      readonly result: string | Buffer;
    }
  | (Ending & { readonly id: string; readonly token: string });

/** What a settle call wants in return. */
export interface ClaimTerms {
  /** How many jobs; 0 only passes a ring of the bell on, -1 asks for nothing. */
  readonly limit: number;
  readonly leaseMs: number;
  /** Attempts of a job whose producer named no limit. */
  readonly attempts: number;
  /** Encoded types wanted; none means any. */
  readonly types: readonly string[];
}

interface KeptLimits {
  readonly keepDone: RetentionLimits;
  readonly keepFailed: RetentionLimits;
}

/** The arguments of the settle script; acks first, since they are the bulk and the shortest. */
export function settleArguments(
  outcomes: readonly JobOutcome[],
  terms: ClaimTerms,
  kept: KeptLimits,
) {
  const acks: (string | Buffer)[] = [];
  const others: (string | Buffer)[] = [];
  for (const one of outcomes) {
    if (one.verb === 'ack') acks.push(one.id, one.token, one.result);
    else others.push(one.verb, one.id, one.token, String(one.delayMs), one.reason);
  }
  return {
    done: acks.length / 3,
    ended: others.length / 5,
    limit: terms.limit,
    leaseMs: terms.leaseMs,
    attempts: terms.attempts,
    keepDone: kept.keepDone.count,
    keepFailed: kept.keepFailed.count,
    keepFailedMs: kept.keepFailed.ageMs,
    outcomesAndTypes: acks.concat(others, terms.types),
  };
}
