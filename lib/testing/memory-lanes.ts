import type { MemoryRecord } from './memory-message.js';

interface Lane {
  readonly records: MemoryRecord[];
  isBusy: boolean;
}

/** What waits, by group: one message of a group at a time, groups by turns. */
export class MemoryLanes {
  private readonly lanes = new Map<string, Lane>();
  /** Groups that have something to give, the one that waits longest first. */
  private readonly ready = new Set<Lane>();

  /** How many messages wait, those behind a busy one of their group included. */
  get size(): number {
    let count = 0;
    for (const lane of this.lanes.values()) count += lane.records.length;
    return count;
  }

  /** At the back of its group. */
  push(record: MemoryRecord): void {
    const lane = this.lanes.get(record.group) ?? { records: [], isBusy: false };
    this.lanes.set(record.group, lane);
    lane.records.push(record);
    if (!lane.isBusy) this.ready.add(lane);
  }

  /** The next message; its group is busy until `free`. */
  shift(): MemoryRecord | undefined {
    for (const lane of this.ready) {
      this.ready.delete(lane);
      lane.isBusy = true;
      return lane.records.shift();
    }
    return undefined;
  }

  /** The message of this group that was running is over. */
  free(group: string): void {
    const lane = this.lanes.get(group);
    if (lane === undefined) return;
    lane.isBusy = false;
    if (lane.records.length > 0) this.ready.add(lane);
    else this.lanes.delete(group);
  }

  /** Takes a waiting message out. */
  remove(record: MemoryRecord): void {
    const lane = this.lanes.get(record.group);
    if (lane === undefined) return;
    lane.records.splice(lane.records.indexOf(record), 1);
    if (lane.records.length > 0) return;
    this.ready.delete(lane);
    if (!lane.isBusy) this.lanes.delete(record.group);
  }

  /** When the oldest waiting message came; `null` when none waits. */
  oldestAt(): number | null {
    let oldest: number | null = null;
    for (const { records } of this.lanes.values())
      for (const { enqueuedAt } of records) oldest = Math.min(oldest ?? enqueuedAt, enqueuedAt);
    return oldest;
  }
}
