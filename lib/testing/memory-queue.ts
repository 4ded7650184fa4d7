import type { EngineHealth, UpkeepReport } from '../contract/index.js';
import { CancelledError, LeaseLostError } from '../errors/index.js';
import { MemoryDelivery, type MemoryDesk, type MemoryTerms } from './memory-delivery.js';
import { MemoryLanes } from './memory-lanes.js';
import type { MemoryRecord } from './memory-message.js';
import { MemoryWaiters } from './memory-waiters.js';

/** One queue of a `MemoryEngine`: every change of state is one synchronous method. */
export class MemoryQueue implements MemoryDesk {
  readonly records = new Map<string, MemoryRecord>();
  readonly waiters = new MemoryWaiters();
  private readonly lanes = new MemoryLanes();
  private readonly delayed = new Set<MemoryRecord>();
  private readonly running = new Map<MemoryRecord, MemoryDelivery>();
  private lastFence = 0;
  /** Before this nothing falls due: upkeep need not look. */
  private nextCheckAt = Infinity;

  constructor(private readonly now: () => number) {}

  /** Takes a message in, or back; it becomes deliverable after `delayMs`. */
  enqueue(record: MemoryRecord, delayMs: number): void {
    this.records.set(record.id, record);
    if (delayMs > 0) return this.delay(record, this.now() + delayMs);
    record.state = 'waiting';
    this.lanes.push(record);
    this.waiters.ring();
  }

  /** Up to `limit` messages that are deliverable now. An attempt counts from here. */
  claim(limit: number, terms: MemoryTerms): MemoryDelivery[] {
    this.upkeep();
    const deliveries: MemoryDelivery[] = [];
    while (deliveries.length < limit) {
      const record = this.lanes.shift();
      if (record === undefined) break;
      deliveries.push(this.hand(record, terms));
    }
    return deliveries;
  }

  /** Repeating an ack is fine: its reply may have been lost. */
  ack(delivery: MemoryDelivery, result: string | null): void {
    const { record } = delivery;
    if (record.state === 'done' && record.fence === delivery.fence) return;
    this.settled(delivery);
    record.result = result;
    this.finish(record, 'done');
  }

  nack(delivery: MemoryDelivery, how: { reason: string; retryInMs: number | null }): void {
    const { record } = delivery;
    this.settled(delivery);
    record.reason = how.reason;
    if (how.retryInMs === null) this.finish(record, 'dead');
    else this.enqueue(record, how.retryInMs);
  }

  release(delivery: MemoryDelivery, delayMs: number): void {
    this.settled(delivery);
    delivery.record.attempt -= 1;
    this.enqueue(delivery.record, delayMs);
  }

  extend(delivery: MemoryDelivery): void {
    this.checkHeld(delivery);
    this.lease(delivery);
  }

  /** Ends a message that is not over yet and tells its holder; `false` when it is over. */
  cancel(record: MemoryRecord): boolean {
    this.upkeep();
    const holder = this.running.get(record);
    if (record.state === 'waiting') this.lanes.remove(record);
    else if (record.state === 'delayed') this.delayed.delete(record);
    else if (holder !== undefined) this.settled(holder);
    else return false;
    this.finish(record, 'cancelled');
    holder?.revoke(new CancelledError(`message ${record.id} was cancelled`));
    return true;
  }

  /** Promotes what is due and recovers what a silent holder left. */
  upkeep(): UpkeepReport {
    const now = this.now();
    if (now >= this.nextCheckAt) {
      this.nextCheckAt = Infinity;
      for (const record of this.delayed) this.promoteOrWait(record, now);
      for (const delivery of this.running.values()) this.recoverOrWait(delivery, now);
    }
    return { nextInMs: Math.max(0, this.nextCheckAt - now) };
  }

  health(): EngineHealth {
    this.upkeep();
    const oldestAt = this.lanes.oldestAt();
    return {
      connected: true,
      waiting: this.lanes.size,
      running: this.running.size,
      oldestWaitingMs: oldestAt === null ? 0 : Math.max(0, this.now() - oldestAt),
    };
  }

  private delay(record: MemoryRecord, dueAt: number): void {
    record.state = 'delayed';
    record.dueAt = dueAt;
    this.delayed.add(record);
    this.checkAt(dueAt);
    // a waiting claim sleeps until the due time it knew of
    this.waiters.ring();
  }

  private hand(record: MemoryRecord, terms: MemoryTerms): MemoryDelivery {
    record.state = 'running';
    record.attempt += 1;
    record.fence = ++this.lastFence;
    const delivery = new MemoryDelivery(record, terms, this);
    this.running.set(record, delivery);
    this.lease(delivery);
    return delivery;
  }

  private lease(delivery: MemoryDelivery): void {
    delivery.leaseEndsAt = this.now() + delivery.leaseMs;
    this.checkAt(delivery.leaseEndsAt);
  }

  private checkAt(at: number): void {
    this.nextCheckAt = Math.min(this.nextCheckAt, at);
  }

  /** The holder lets go; the next of the group may run. */
  private settled(delivery: MemoryDelivery): void {
    this.checkHeld(delivery);
    this.running.delete(delivery.record);
    this.lanes.free(delivery.record.group);
    this.waiters.ring();
  }

  private checkHeld(delivery: MemoryDelivery): void {
    this.upkeep();
    if (this.running.get(delivery.record) === delivery) return;
    throw new LeaseLostError(`the lease of ${delivery.record.id} is over`);
  }

  private finish(record: MemoryRecord, state: 'done' | 'dead' | 'cancelled'): void {
    record.state = state;
    record.endedAt = this.now();
    // to the end: the records that are over stand in the order in which they ended
    this.records.delete(record.id);
    this.records.set(record.id, record);
  }

  private promoteOrWait(record: MemoryRecord, now: number): void {
    if (record.dueAt > now) return this.checkAt(record.dueAt);
    this.delayed.delete(record);
    this.enqueue(record, 0);
  }

  private recoverOrWait(delivery: MemoryDelivery, now: number): void {
    if (delivery.leaseEndsAt > now) return this.checkAt(delivery.leaseEndsAt);
    const { record, terms } = delivery;
    this.running.delete(record);
    this.lanes.free(record.group);
    const limit = record.maxAttempts ?? terms.attempts;
    record.reason = `the lease ran out in attempt ${record.attempt} of ${limit}`;
    if (record.attempt < limit) this.enqueue(record, 0);
    else this.finish(record, 'dead');
    delivery.revoke(new LeaseLostError(`the lease of ${record.id} ran out`));
  }
}
