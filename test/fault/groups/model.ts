import type { ClaimedMessage } from '../../../lib/groups/index.js';

interface Lease {
  readonly token: string;
  readonly size: number;
  /** Messages of it that went well. */
  done: number;
  isParked: boolean;
}

interface Group {
  readonly queue: string[];
  lease: Lease | null;
  /** Attempts of the head. */
  tries: number;
}

/** What a holder freed is remembered in a ring of so many of its calls. */
const REMEMBERED = 64;

/** What the groups engine promises, in the plainest way: a list, a lease and a counter a group. */
export class GroupsModel {
  readonly dead: string[] = [];
  private readonly groups = new Map<string, Group>();
  private readonly published: string[] = [];
  private readonly acked: string[] = [];
  private lastFence = 0;
  /** By the place of the call in the ring: which lease it freed, and after how many messages. */
  private readonly freed = new Map<number, { readonly token: string; readonly done: number }>();
  private calls = 0;

  publish(group: string, id: string): void {
    this.of(group).queue.push(id);
    this.published.push(id);
  }

  /** Checks what a claim brought: heads in order, of free groups, as many as there may be. */
  claim(claimed: readonly ClaimedMessage[], wanted: { limit: number; groupBatch: number }): void {
    this.calls += 1;
    const byGroup = new Map<string, ClaimedMessage[]>();
    for (const message of claimed)
      byGroup.set(message.group, [...(byGroup.get(message.group) ?? []), message]);
    const free = [...this.groups.values()].filter((one) => !one.lease && one.queue.length > 0);
    expect(byGroup.size).toBe(Math.min(wanted.limit, free.length));
    for (const [name, messages] of byGroup) this.lease(this.of(name), messages, wanted.groupBatch);
  }

  ack(message: ClaimedMessage): boolean {
    this.calls += 1;
    const group = this.of(message.group);
    const { lease } = group;
    const done = message.position + 1;
    if (lease?.token !== message.token) return this.wasAcked(message.token, done);
    if (done <= lease.done) return true;
    if (message.position !== lease.done) return false;
    this.acked.push(...group.queue.splice(0, 1));
    lease.done = done;
    const isFreed = lease.done === lease.size || lease.isParked;
    group.tries = isFreed ? 0 : 1;
    if (isFreed) this.free(group);
    return true;
  }

  giveBack(message: ClaimedMessage, how: { isParked: boolean; spends: boolean }): boolean {
    this.calls += 1;
    const group = this.of(message.group);
    const { lease } = group;
    if (lease === null || !this.isNext(message)) return false;
    if (!how.spends) group.tries = Math.max(0, group.tries - 1);
    if (how.isParked) lease.isParked = true;
    else this.free(group);
    return true;
  }

  bury(message: ClaimedMessage): boolean {
    this.calls += 1;
    const group = this.of(message.group);
    if (!this.isNext(message)) return false;
    this.dead.push(group.queue.shift() as string);
    group.tries = 0;
    this.free(group);
    return true;
  }

  isHeldBy(message: ClaimedMessage): boolean {
    const { lease } = this.of(message.group);
    return lease?.token === message.token && !lease.isParked;
  }

  lapse(group: string): void {
    this.of(group).lease = null;
  }

  /** Every message was acked or buried, once. */
  expectEmpty(): void {
    for (const { queue } of this.groups.values()) expect(queue).toEqual([]);
    expect([...this.acked, ...this.dead].sort()).toEqual([...this.published].sort());
  }

  private lease(group: Group, messages: readonly ClaimedMessage[], groupBatch: number): void {
    const size = group.tries > 0 ? 1 : Math.min(groupBatch, group.queue.length);
    expect(group.lease).toBe(null);
    expect(messages.map(({ id }) => id)).toEqual(group.queue.slice(0, size));
    const attempts = messages.map(({ attempt }) => attempt);
    expect(attempts).toEqual([group.tries + 1, ...Array<number>(size - 1).fill(1)]);
    for (const { fence } of messages) {
      expect(fence).toBeGreaterThan(this.lastFence);
      this.lastFence = fence;
    }
    group.tries += 1;
    group.lease = { token: messages[0].token, size, done: 0, isParked: false };
  }

  /** The messages of a batch are settled in order, each for itself. */
  private isNext(message: ClaimedMessage): boolean {
    return this.isHeldBy(message) && this.of(message.group).lease?.done === message.position;
  }

  private free(group: Group): void {
    const { token, done } = group.lease as Lease;
    this.freed.set(this.calls % REMEMBERED, { token, done });
    group.lease = null;
  }

  private wasAcked(token: string, done: number): boolean {
    return [...this.freed.values()].some((one) => one.token === token && one.done >= done);
  }

  private of(name: string): Group {
    const group = this.groups.get(name) ?? { queue: [], lease: null, tries: 0 };
    this.groups.set(name, group);
    return group;
  }
}
