import type { RetentionLimits } from '../redis/index.js';

/** How a run ended, as the settle script takes it. */
export type JobOutcome =
  | {
      readonly verb: 'ack';
      readonly id: string;
      readonly token: string;
      readonly result: string | Buffer;
    }
  | {
      readonly verb: 'fail' | 'retry' | 'release';
      readonly id: string;
      readonly token: string;
      readonly delayMs: number;
      readonly reason: string;
    };

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

/** Puts the codes, which come in the order acks then others, back in the order of the outcomes. */
export function codesInOrder(
  outcomes: readonly JobOutcome[],
  codes: readonly number[],
): readonly number[] {
  let ack = 0;
  let other = outcomes.reduce((count, { verb }) => count + (verb === 'ack' ? 1 : 0), 0);
  return outcomes.map(({ verb }) => codes[verb === 'ack' ? ack++ : other++]);
}
