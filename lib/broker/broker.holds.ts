import type { DeadLetter, UpkeepReport } from '../contract/index.js';
import type { RetentionLimits } from '../delivery/index.js';
import type { StoredRow } from './message.js';

/** How a run of a held message ended. */
export interface HoldOutcome {
  readonly verb: 'ack' | 'retry' | 'fail' | 'release';
  readonly id: bigint;
  readonly fence: number;
  readonly delayMs: number;
  readonly reason: string;
}

/** What a loop settles and takes in one step; queue names are literal. */
export interface HoldRequest {
  readonly queue: string;
  readonly outcomes: readonly HoldOutcome[];
  /** 0 takes nothing. */
  readonly limit: number;
  readonly leaseMs: number;
  readonly attempts: number;
  readonly keepDead: RetentionLimits;
}

/** A message held under a lease. */
export interface HeldRow extends StoredRow {
  readonly attempt: number;
  readonly fence: number;
}

/** What a step of a loop brought. */
export interface HoldReply {
  /** Per outcome: 1 settled, 0 the lease is lost. */
  readonly codes: readonly number[];
  readonly rows: readonly HeldRow[];
  /** Milliseconds until something is due, -1 when nothing is known. */
  readonly nextInMs: number;
}

/** Held reads: what processors need. A signal ends waits and the pauses between retries. */
export interface BrokerHolds {
  /** Settles and takes in one step, all of it or nothing of the taking. */
  settle(request: HoldRequest): Promise<HoldReply>;
  /** Prolongs leases to `leaseMs` from now; per hold whether it was still one. */
  extend(
    queue: string,
    holds: readonly { readonly id: bigint; readonly fence: number }[],
    leaseMs: number,
  ): Promise<readonly boolean[]>;
  /** Recovers what has lapsed, makes due what was postponed, trims dead letters; in bounded steps. */
  upkeep(queue: string, keepDead: RetentionLimits, signal?: AbortSignal): Promise<UpkeepReport>;
  /** Gives back what is due or lapsed in all queues, in bounded steps; answers how many were held. */
  recover(): Promise<number>;
  /** A page of dead letters, newest first. */
  deadLetters(
    queue: string,
    page: { readonly offset: number; readonly limit: number },
  ): Promise<readonly (Omit<DeadLetter, 'id' | 'payload' | 'headers'> & StoredRow)[]>;
  /** Makes one deliverable again, or deletes it; `false` when there is no such dead letter. */
  endDeadLetter(verb: 'redrive' | 'drop', queue: string, id: bigint): Promise<boolean>;
}
