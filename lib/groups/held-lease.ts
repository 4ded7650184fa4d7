import type { Ending } from '../delivery/index.js';
import { encodeName } from '../redis/index.js';
import { lostLease } from './group-claims.js';
import type { ClaimedMessage } from './group-message.js';
import { GroupDelivery, type DeliveryPort } from './group.delivery.js';
import type { GroupOutcome } from './outcome.js';

/** What a lease needs of its source. */
export interface LeasePort {
  /** Whether nobody claims any more, so that a batch should not go on. */
  readonly isStopped: boolean;
  /** The next message of the lease may run: a claim takes it. */
  offer(lease: HeldLease): void;
  /** Settles in the next call; answers the script's code. `onSend` tells that the call is made. */
  settle(outcome: GroupOutcome, onSend?: () => void): Promise<number>;
  /** Prolongs the lease in the next call; `false` when it is lost. */
  extend(lease: HeldLease): Promise<boolean>;
}

/** Says that messages of a lease went well; until it is sent, one more is only a higher number. */
class LeaseAck implements GroupOutcome {
  verb: 'ack' | 'last' = 'ack';
  done = 0;
  readonly delayMs = 0;
  readonly reason = '';

  constructor(
    readonly group: string,
    readonly token: string,
  ) {}
}

/** The code of an ack after which what is left of the lease is lost. */
const CUT = 2;

/** An ack that waits for the next call, and the code that it will get. */
interface WaitingAck {
  readonly ack: LeaseAck;
  readonly code: Promise<number>;
}

/**
 * A group held by this process: its messages run strictly one after the other.
 *
 * An ack offers the next message at once, before the server has heard of it. That is safe since
 * every settle says how many messages of the lease went well: one that comes late, twice or ahead
 * of another takes exactly those off the list. When any of them is refused the lease is lost, and
 * with it the message that runs now.
 */
export class HeldLease implements DeliveryPort {
  readonly group: string;
  readonly token: string;
  /** Whether none of its messages is to begin any more. */
  private isOver = false;
  private at = 0;
  /** How many messages had gone well when the rest was given back, since nobody claims any more. */
  private cutAfter = -1;
  private current: GroupDelivery | null = null;
  private waiting: WaitingAck | null = null;
  /** When the lease is certainly over, on this process' own clock, unless it is prolonged. */
  private endsAt: number;

  /** @param messages in order, at least one */
  constructor(
    private readonly messages: readonly ClaimedMessage[],
    private readonly port: LeasePort,
  ) {
    this.group = encodeName(messages[0].group);
    this.token = messages[0].token;
    this.endsAt = performance.now() + messages[0].leaseMs;
  }

  /**
   * Whether the next message must not begin any more: while it waited for a slot the lease ran out
   * or was lost.
   */
  get isGone(): boolean {
    return this.isOver || performance.now() >= this.endsAt;
  }

  /** The message that is to run now, as a delivery. */
  deliver(): GroupDelivery {
    this.current = new GroupDelivery(this.messages[this.at], this);
    return this.current;
  }

  /** Ends a message well; the next one of the batch may begin. Repeated, it only tells again. */
  async ack(delivery: GroupDelivery): Promise<void> {
    const done = delivery.message.position + 1;
    if (delivery === this.current && !this.isOver) this.advance(done);
    const askedAt = performance.now();
    const code = await this.sendAck(done);
    if (code === 0) throw this.lose(delivery);
    if (code === CUT) return this.cut(delivery);
    this.endsAt = askedAt + delivery.leaseMs;
  }

  /**
   * Gives the message and all behind it back, or the message to the dead letters. For a message that
   * was acked it is refused, and the one that runs now goes on; unless that ack was lost on its way.
   */
  async end(delivery: GroupDelivery, ending: Ending): Promise<void> {
    const { position } = delivery.message;
    const wasAcked = position < this.at;
    if (!wasAcked) this.isOver = true;
    const code = await this.port.settle(this.outcome(position, ending));
    if (code !== 1) throw wasAcked ? lostLease(delivery.message) : this.lose(delivery);
    if (wasAcked) this.lose(delivery);
  }

  /** Prolongs the lease; when it is lost, whoever runs hears of it. */
  async extend(delivery: GroupDelivery): Promise<void> {
    const askedAt = performance.now();
    if (!(await this.port.extend(this))) throw this.lose(delivery);
    this.endsAt = askedAt + delivery.leaseMs;
  }

  /** Gives back what has not begun. */
  async giveBack(): Promise<void> {
    this.isOver = true;
    await this.port.settle(this.outcome(this.at, { verb: 'release', delayMs: 0, reason: '' }));
  }

  private advance(done: number): void {
    this.current = null;
    this.at = done;
    this.isOver = done === this.messages.length || this.port.isStopped;
    if (!this.isOver) this.port.offer(this);
    else if (done < this.messages.length) this.cutAfter = done;
  }

  /** The acks of one lease that are made in one tick travel as one. */
  private sendAck(done: number): Promise<number> {
    if (this.waiting === null) {
      const ack = new LeaseAck(this.group, this.token);
      this.waiting = { ack, code: this.port.settle(ack, () => (this.waiting = null)) };
    }
    const { ack, code } = this.waiting;
    ack.done = Math.max(ack.done, done);
    if (done === this.cutAfter) ack.verb = 'last';
    return code;
  }

  /** A message further back was removed: what runs or waits now is no part of the lease any more. */
  private cut(acked: GroupDelivery): void {
    this.isOver = true;
    if (this.current !== acked) this.current?.revoke(lostLease(this.current.message));
  }

  private lose(delivery: GroupDelivery): Error {
    const reason = lostLease(delivery.message);
    this.isOver = true;
    delivery.revoke(reason);
    this.current?.revoke(reason);
    return reason;
  }

  private outcome(done: number, ending: Ending): GroupOutcome {
    return { ...ending, group: this.group, token: this.token, done };
  }
}
