import type { DeadLetter, Message } from '../contract/index.js';

/** A message as its handler sees it. */
export interface GroupMessage<Payload = unknown> extends Message<Payload> {
  /** Messages of one group come strictly one after the other, in the order of publishing. */
  readonly group: string;
  /** The group's tier, 0 to 4. */
  readonly priority: number;
}

/** A message claimed with `GroupTransport.claim`: its holder settles it with `token`. */
export interface ClaimedMessage<Payload = unknown> extends GroupMessage<Payload> {
  /** Names the lease on the group; a settle with an older token changes nothing. */
  readonly token: string;
  /** The message's place in its lease, 0 for the head; a lease is settled in this order. */
  readonly position: number;
  /** Grows with every delivery of the topic. */
  readonly fence: number;
  readonly leaseMs: number;
  /** Set when the body does not decode; `payload` is then the raw text. */
  readonly unreadable: Error | null;
}

/** Names a claim: what `claim` returned, or its group and token (and its place in a batch). */
export interface MessageHandle {
  readonly group: string;
  readonly token: string;
  /** @default 0 */
  readonly position?: number;
  /** The lease that the claim asked for, in milliseconds. @default the transport's leaseMs */
  readonly leaseMs?: number;
}

/** What `publish` takes. Unknown keys are refused. */
export interface NewMessage<Payload = unknown> {
  /** 1 to 512 bytes without control characters; a group exists while it has messages. */
  readonly group: string;
  readonly payload: Payload;
  /**
   * A whole number, held within 0 to 4 (the highest). Fixed by the first message of a live group
   * and ignored from then on, until the group has drained.
   * @default 0
   */
  readonly priority?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What `publish` answers. */
export interface PublishResult {
  readonly id: string;
}

/** What became of one message of a `publishMany`. */
export type PublishOutcome = PublishResult | { readonly id: string; readonly error: Error };

/** Which messages to claim. */
export interface ClaimOptions {
  /** How many distinct groups, 1 to 500. @default 1 */
  readonly limit?: number;
  /** The lowest tier that is looked at; above 4 there is none. @default 0 */
  readonly minPriority?: number;
  /** @default the transport's leaseMs */
  readonly leaseMs?: number;
  /**
   * How many head messages of each group under one lease, 1 to 100; settle them in order. A batch
   * that lapses comes again as a whole, and messages behind the head count their attempts only from
   * when they are the head. @default the transport's
   */
  readonly groupBatch?: number;
  /** How long to wait for a message when there is none, in milliseconds. @default 0 */
  readonly waitMs?: number;
  /** Ends the wait with an empty answer. */
  readonly signal?: AbortSignal;
}

/** How a failed message goes on. */
export interface NackOptions {
  /** Milliseconds for which the group is parked; 0: at once, ahead of all that wait. @default 0 */
  readonly delayMs?: number;
  /** Kept with the dead letter when no attempt is left. */
  readonly reason?: Error | string;
}

/** A stored message that was looked at and not claimed. */
export interface PeekedMessage<Payload = unknown> {
  readonly id: string;
  readonly group: string;
  /** The decoded payload; the raw text where `unreadable` says so. */
  readonly payload: Payload;
  readonly unreadable: boolean;
  readonly headers: Readonly<Record<string, string>>;
  readonly enqueuedAt: number;
}

/** One group in numbers. */
export interface GroupState {
  readonly group: string;
  /** Its tier, 0 to 4. */
  readonly priority: number;
  /** How many messages it holds, those under a lease too. */
  readonly depth: number;
  /** Attempts of its head so far, the present one too. */
  readonly attempts: number;
  /** How many of its messages are held under a lease. */
  readonly leased: number;
  /** Whether it waits for a retry, a delay or its rate limit. */
  readonly parked: boolean;
  readonly paused: boolean;
  /** Milliseconds until it is claimable, 0 when it is now; `null` while it is paused. */
  readonly claimableInMs: number | null;
}

/** A topic in numbers. */
export interface GroupStats {
  /** Groups that stand in each tier, from tier 0 to tier 4; paused ones stand in none. */
  readonly groups: readonly number[];
  /** Messages that are not acked yet, whatever their group does. */
  readonly backlog: number;
  /** Groups of which a message is claimable now. */
  readonly ready: number;
  /** Groups that are held under a lease. */
  readonly leased: number;
  /** Groups that wait for a retry, a delay or their rate limit. */
  readonly parked: number;
  /** Groups that were paused, whether they hold messages or not. */
  readonly pausedGroups: number;
  /** Dead letters. */
  readonly dead: number;
  /** Age of the oldest among the claimable messages that come next (10 a tier), in milliseconds. */
  readonly oldestWaitingMs: number;
  /** Whether the whole topic is paused. */
  readonly paused: boolean;
}

/** At most `max` messages of a group begin within `durationMs`. */
export interface RateLimit {
  readonly max: number;
  readonly durationMs: number;
}

/** A message that will not be tried again by itself. */
export interface GroupDeadLetter extends DeadLetter {
  readonly group: string;
  /** The tier its group had. */
  readonly priority: number;
}
