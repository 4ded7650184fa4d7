import { checkInteger, checkKeys, checkList } from '../errors/index.js';
import { checkName, KeySpace } from '../redis/index.js';
import { auditTopic, type GroupAuditFinding } from './audit.js';
import { GroupDeadLetters } from './group.dead-letters.js';
import type {
  ClaimedMessage,
  ClaimOptions,
  GroupState,
  GroupStats,
  MessageHandle,
  NackOptions,
  NewMessage,
  PeekedMessage,
  PublishOutcome,
  PublishResult,
  RateLimit,
} from './group-message.js';
import { GroupPublisher } from './group-publisher.js';
import { openCore, type GroupsCore } from './groups.core.js';
import type { GroupTransportOptions } from './groups.options.js';
import {
  inspectScript,
  pauseScript,
  peekScript,
  purgeScript,
  statsScript,
} from './groups.scripts.js';
import { GroupLimits } from './limits.js';
import { readPeeked } from './message-record.js';
import { encodeGroup } from './new-message.js';
import { ManualClaims } from './manual-claims.js';
import { removeMessage } from './removal.js';

/**
 * The groups engine of one topic: messages of one group strictly in order, one holder at a time,
 * groups in parallel, five tiers, fenced leases, dead letters.
 *
 * Injectable in a Nest application (bound to the topic `default`; `topic(name)` gives another one),
 * and usable without Nest. At-least-once: a message may come again after a crash, and its `fence`
 * tells the deliveries apart. Nothing has to run beside it: a lapsed lease is claimable by itself.
 */
export class GroupTransport {
  /** The topic's name. */
  readonly name: string;
  /** What was given up: list, count, redrive (to the tail of its group), drop. */
  readonly deadLetters: GroupDeadLetters;
  private readonly core: GroupsCore;
  private readonly space: KeySpace;
  private readonly publisher: GroupPublisher;
  private readonly claims: ManualClaims;
  private readonly limits: GroupLimits;

  /**
   * @param core shared by the transports that `topic()` makes; left out by applications.
   * @param siblings those transports, by name; left out by applications.
   * @throws InvalidOptionError naming the option; nothing is opened before the first call.
   */
  constructor(
    options: GroupTransportOptions,
    core?: GroupsCore,
    private readonly siblings = new Map<string, GroupTransport>(),
  ) {
    const { topic = 'default' } = options;
    this.name = checkName('topic', topic);
    this.core = core ?? openCore(options);
    siblings.set(this.name, this);
    this.space = new KeySpace(this.core.prefix, 'groups', this.name);
    this.publisher = new GroupPublisher(this.core, this.space);
    this.claims = new ManualClaims(this.core, this.space, this.name);
    this.limits = new GroupLimits(this.core, this.space);
    this.deadLetters = new GroupDeadLetters(this.core, this.space);
  }

  /** The transport of another topic, over the same connection and with the same options; one a name. */
  topic(name: string): GroupTransport {
    checkName('topic', name); // an undefined one must not mean the default topic
    const core = { ...this.core, ownsConnection: false };
    return this.siblings.get(name) ?? new GroupTransport({ topic: name }, core, this.siblings);
  }

  /**
   * Appends a message to its group, in the order of the calls; those of one tick share a round trip.
   *
   * The priority is fixed by the first message of a live group. A group that is leased or parked
   * does not become claimable by it. Not safe to repeat: an id is made by every call.
   *
   * @throws InvalidOptionError, PayloadError before anything is sent; OperationalError with
   * `outcomeAmbiguous` when the reply was lost.
   */
  async publish(message: NewMessage): Promise<PublishResult> {
    return this.publisher.publish(message);
  }

  /**
   * Appends many messages in order, up to 500 a round trip; all are checked before the first is
   * sent. Answers what became of each, in their order.
   *
   * @throws InvalidOptionError, PayloadError before anything is sent
   */
  async publishMany(messages: readonly NewMessage[]): Promise<PublishOutcome[]> {
    return this.publisher.publishMany(checkList('messages', messages));
  }

  /**
   * Claims the heads of up to `limit` groups, those that were served longest ago first, and leases
   * their groups for `leaseMs`; empty when there is none. Each delivery counts as an attempt.
   * With `groupBatch` the messages of one group follow one another in the answer; handle and ack
   * them in that order.
   *
   * @throws InvalidOptionError naming the option
   */
  async claim<Payload = unknown>(options: ClaimOptions = {}): Promise<ClaimedMessage<Payload>[]> {
    return (await this.claims.claim(options)) as ClaimedMessage<Payload>[];
  }

  /**
   * Takes a message off its group; the group is free when its lease holds no other message.
   * `false`, and nothing changed, when the lock does not hold this token any more (the message
   * comes again) or when it is not the next of its lease. Made again after it succeeded, it
   * answers `true` and changes nothing: within 10 minutes and the last 64 settles and claims
   * by hand of this transport; after that `false`.
   */
  async ack(message: MessageHandle): Promise<boolean> {
    return this.claims.ack(message);
  }

  /**
   * Gives back a message that failed, and those behind it in its lease; it comes next in its group,
   * always. Without a delay (the default here; processors wait a second or more) the group is due at
   * once, ahead of all that wait: a head that always fails crowds them out, so set a delay or
   * `maxAttempts`, after which it is a dead letter. With a delay the group is parked, and an ack of
   * this message succeeds until it is due. `false` as for `ack`; so for every other settle.
   *
   * @throws InvalidOptionError for a delay that is no whole number of 0 or more; nothing changed
   */
  async nack(message: MessageHandle, options: NackOptions = {}): Promise<boolean> {
    return this.claims.nack(message, options);
  }

  /** Gives a message back without spending the attempt; `false` when the lease is lost. */
  async release(
    message: MessageHandle,
    options: { readonly delayMs?: number } = {},
  ): Promise<boolean> {
    return this.claims.release(message, options);
  }

  /** Sends a message to the dead letters; its group goes on. `false` when the lease is lost. */
  async deadLetter(message: MessageHandle, reason: Error | string): Promise<boolean> {
    return this.claims.deadLetter(message, reason);
  }

  /** Prolongs the lease on the message's group from now on; `false` when it is lost or parked. */
  async extend(
    message: MessageHandle,
    options: { readonly leaseMs?: number } = {},
  ): Promise<boolean> {
    return this.claims.extend(message, options);
  }

  /**
   * The messages of a group from its head on, without claiming them.
   *
   * @param page `limit` 1 to 500, default 10; `offset` from the head, default 0
   */
  async peek<Payload = unknown>(
    group: string,
    page: { readonly limit?: number; readonly offset?: number } = {},
  ): Promise<PeekedMessage<Payload>[]> {
    checkKeys('page', page, ['limit', 'offset']);
    const { limit = 10, offset = 0 } = page;
    const { frames } = await peekScript.run(this.core.connection, this.space, {
      group: encodeGroup(group),
      offset: checkInteger('offset', offset, { min: 0 }),
      limit: checkInteger('limit', limit, { min: 1, max: 500 }),
    });
    const { codec } = this.core.settings;
    return frames.map((frame) => readPeeked(frame, group, codec) as PeekedMessage<Payload>);
  }

  /** How many messages a group holds, or without a name the whole topic. */
  async depth(group?: string): Promise<number> {
    if (group === undefined) return (await this.stats()).backlog;
    return (await this.inspect(group))?.depth ?? 0;
  }

  /** Everything about one group; `null` when it holds no message. */
  async inspect(group: string): Promise<GroupState | null> {
    const args = { group: encodeGroup(group) };
    const state = await inspectScript.run(this.core.connection, this.space, args);
    const { tier, dueInMs, ...rest } = state;
    if (tier === null) return null;
    const claimableInMs = state.paused || dueInMs < 0 ? null : dueInMs;
    return { group, priority: Number(tier), ...rest, claimableInMs };
  }

  /** The topic in numbers. */
  async stats(): Promise<GroupStats> {
    return statsScript.run(this.core.connection, this.space, {});
  }

  /**
   * Removes one message, wherever it stands in its group; a lease or a retry that is about it ends,
   * of a batch what stands from it on. One that a loop holds may have begun meanwhile; its signal
   * aborts then.
   * Walks the group from its tail, so it takes time in proportion to the messages behind it.
   */
  async remove(group: string, id: string): Promise<boolean> {
    const target = { group: encodeGroup(group), id: checkName('id', id) };
    return removeMessage(this.core, this.space, target);
  }

  /** Deletes all messages of a group and voids the lease on it; answers how many there were. */
  async purge(group: string): Promise<number> {
    return purgeScript.run(this.core.connection, this.space, { group: encodeGroup(group) });
  }

  /** Stops claims of one group, or of the whole topic, in every process; what runs goes on. */
  async pause(group?: string): Promise<void> {
    await this.setPaused(group, true);
  }

  /** Ends a pause and wakes the waiting loops. */
  async resume(group?: string): Promise<void> {
    await this.setPaused(group, false);
  }

  /**
   * Lets at most `max` messages of a group begin within `durationMs`; `null` takes the limit away.
   * It stays when the group drains.
   *
   * @throws InvalidOptionError naming the option
   */
  async limit(group: string, rate: RateLimit | null): Promise<void> {
    await this.limits.set(group, rate);
  }

  /** The same for every group without a limit of its own; those that wait for it are looked at anew. */
  async limitEach(rate: RateLimit | null): Promise<void> {
    await this.limits.setEach(rate);
  }

  /**
   * Walks the topic in bounded steps and reports every broken invariant: a live group in no tier or
   * two, an entry without messages, half a dead letter, a wrong counter. Groups that move while it
   * walks may show once; run it again to be sure. With `repair` it mends what it finds.
   */
  audit(options: { readonly repair?: boolean } = {}): Promise<GroupAuditFinding[]> {
    return auditTopic(this.core, this.space, options);
  }

  /**
   * Closes what this transport opened; a client that was handed over stays open. Safe to call
   * twice. A transport made by `topic()` or injected by Nest opened nothing, so nothing is closed.
   */
  async close(): Promise<void> {
    if (this.core.ownsConnection) await this.core.connection.close();
  }

  private async setPaused(group: string | undefined, on: boolean): Promise<void> {
    const args = { group: group === undefined ? '' : encodeGroup(group), on };
    await pauseScript.run(this.core.connection, this.space, args);
  }
}
