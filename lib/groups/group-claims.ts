import { codesInOrder, OpenCalls } from '../delivery/index.js';
import { LeaseLostError, PayloadError } from '../errors/index.js';
import type { KeySpace } from '../redis/index.js';
import type { ClaimedMessage } from './group-message.js';
import type { GroupsCore } from './groups.core.js';
import { extendScript, settleScript } from './groups.scripts.js';
import { readLease } from './message-record.js';
import { outcomeArguments, type GroupOutcome } from './outcome.js';
import type { Passes } from './tiers.js';

/** What a settle call wants in return. */
export interface ClaimTerms {
  /** How many groups; 0 only passes a ring of the bell on, -1 asks for nothing. */
  readonly limit: number;
  readonly leaseMs: number;
  /** Head messages of each group under one lease. */
  readonly batch: number;
  /** Attempts after which a message is a dead letter; 0 for no limit. */
  readonly attempts: number;
  readonly passes: Passes;
  /**
   * Whether each settle is about its own message alone, and refused unless that is the next one of
   * its lease; otherwise it speaks for the messages before it too. @default false
   */
  readonly exact?: boolean;
}

/** What a settle call brought back; each lease is its messages in order, at least one. */
export interface SettleAnswer {
  /** Per outcome: 1 settled, 0 lease lost. */
  readonly codes: readonly number[];
  readonly leases: readonly ClaimedMessage[][];
  readonly nextInMs: number;
}

/** Claiming and settling of one topic, in batches; each call is one script call. */
export class GroupClaims {
  private readonly calls = new OpenCalls();

  constructor(
    private readonly core: GroupsCore,
    private readonly space: KeySpace,
    private readonly topic: string,
  ) {}

  /** Settles many outcomes and claims what comes next, in one round trip. */
  async settle(
    outcomes: readonly GroupOutcome[],
    terms: ClaimTerms,
    signal?: AbortSignal,
  ): Promise<SettleAnswer> {
    const { connection, settings } = this.core;
    const { keepDead, codec } = settings;
    const args = {
      ...outcomeArguments(outcomes),
      ...terms,
      keepDead: keepDead.count,
      keepDeadMs: keepDead.ageMs,
      exact: terms.exact ?? false,
    };
    const reply = await this.calls.run((name) =>
      settleScript.run(connection, this.space, { ...args, ...name }, signal && { signal }),
    );
    const place = { topic: this.topic, leaseMs: terms.leaseMs, codec };
    return {
      codes: codesInOrder(outcomes, reply.codes),
      leases: reply.leases.map((lease) => readLease(lease, place)),
      nextInMs: reply.nextInMs,
    };
  }

  /** Prolongs leases given as (group, token) pairs in a row; per pair 1, or 0 when it is lost. */
  extend(claims: readonly string[], leaseMs: number): Promise<readonly number[]> {
    return extendScript.run(this.core.connection, this.space, { leaseMs, claims });
  }

  /** Waits until a group may have become claimable, at most `timeoutMs`; a hint, no promise. */
  wait(timeoutMs: number, signal?: AbortSignal): Promise<void> {
    const keys = [this.space.key('signal')];
    return this.core.connection.doorbell.wait({ keys, timeoutMs, ...(signal && { signal }) });
  }
}

/** Why a settle was refused. */
export function lostLease({ id, group }: { readonly id: string; readonly group: string }): Error {
  return new LeaseLostError(
    `message ${JSON.stringify(id)} is not held under this token: the lease on group ` +
      `${JSON.stringify(group)} is over or someone else holds it`,
  );
}

/** The publish script's refusal of one message. */
export function refusedGroup(group: string): PayloadError {
  return new PayloadError(
    `the key of group ${JSON.stringify(group)} is not a list of this library`,
  );
}
