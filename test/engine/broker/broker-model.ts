import type { MessageOrder, MessageState, QueueStats } from '../../../lib/broker/index.js';
import { HeldModel, type ModelRow } from './held-model.js';

/** What a namespace should hold, in the plainest way: a list of rows. */
export class BrokerModel extends HeldModel {
  has(id: bigint): boolean {
    return this.list.some((row) => row.id === id);
  }

  write(queue: string, id: bigint, keepNewest?: number): void {
    if (keepNewest !== undefined) {
      this.recover(queue);
      for (const row of displacedOf(this.unread(queue), keepNewest)) row.state = 'claimed';
    }
    this.list.push({ id, state: 'pending', queue, run: null, isLapsed: false });
  }

  /** Whether the oldest rows that a write would displace hold one that somebody reserved. */
  wouldDisplaceReserved(queue: string, keepNewest: number): boolean {
    const unread = this.unread(queue).filter((row) => !(row.isLapsed && isSpent(row)));
    return displacedOf(unread, keepNewest).some(isHeld);
  }

  read(queue: string, limit: number, order: MessageOrder): bigint[] {
    this.recover(queue);
    const waiting = this.in(queue, 'pending');
    const taken = (order === 'oldest' ? waiting : waiting.reverse()).slice(0, limit);
    for (const row of taken) row.state = 'claimed';
    return taken.map(({ id }) => id);
  }

  move(
    source: string,
    target: string,
    { limit, withClaimed }: { readonly limit: number; readonly withClaimed: boolean },
  ): bigint[] {
    this.recover(source);
    const movable = this.of(source)
      .filter(({ state }) => state === 'pending' || (withClaimed && state === 'claimed'))
      .slice(0, limit);
    for (const row of movable) row.queue = target;
    return movable.map(({ id }) => id);
  }

  broadcast(
    count: number,
    queues: readonly QueueStats[],
    newest: ReadonlyMap<string, bigint>,
  ): void {
    expect(queues.map(({ queue }) => queue)).toEqual(this.queues());
    expect(count).toBe(queues.length);
    for (const { queue } of queues) this.write(queue, newest.get(queue)!);
  }

  isReserved(queue: string): boolean {
    return this.of(queue).some(isHeld);
  }

  deleteAll(queue: string): void {
    this.list = this.list.filter((row) => row.queue !== queue);
  }

  /** Deletes by id, answers how many; `undefined` where one of them is reserved. */
  deleteMany(queue: string, ids: readonly bigint[]): number | undefined {
    const rows = this.of(queue).filter(({ id }) => ids.includes(id));
    if (rows.some(isHeld)) return undefined;
    for (const row of rows) if (row.state === 'reserved') this.giveBack(row);
    const gone = rows.filter(({ state }) => state !== 'dead');
    this.list = this.list.filter((row) => !gone.includes(row));
    return gone.length;
  }

  /** Renames, or answers the code of the refusal. */
  rename(from: string, to: string): string | undefined {
    if (this.isReserved(from)) return 'RESERVED';
    if (this.of(to).length > 0) return 'QUEUE_EXISTS';
    this.recover(from);
    for (const row of this.of(from)) row.queue = to;
    return undefined;
  }

  reserve(queue: string, limit: number): bigint[] {
    this.recover(queue);
    const taken = this.in(queue, 'pending').slice(0, limit);
    for (const row of taken) row.state = 'reserved';
    return taken.map(({ id }) => id);
  }

  release(queue: string, ids: readonly bigint[]): void {
    for (const row of this.of(queue)) if (ids.includes(row.id)) row.state = 'pending';
  }

  vacuum(): void {
    this.list = this.list.filter(({ state }) => state !== 'claimed');
  }

  /** As `peek` shows them. */
  rows(queue: string): string[] {
    const shown = this.of(queue).filter(({ state }) => state !== 'dead');
    return shown.map((row) => `${row.id} ${shownState(row)}`);
  }

  counts(queue: string): Partial<QueueStats> {
    const count = (state: ModelRow['state']) =>
      this.of(queue).filter((row) => shownState(row) === state).length;
    const [postponed, reserved] = [count('postponed'), count('reserved')];
    const pending = count('pending') + postponed + reserved;
    return { pending, postponed, reserved, claimed: count('claimed'), dead: count('dead') };
  }

  queues(): string[] {
    return [...new Set(this.list.map(({ queue }) => queue))].sort();
  }

  private unread(queue: string): ModelRow[] {
    const unread: readonly ModelRow['state'][] = ['pending', 'postponed', 'reserved'];
    return this.of(queue).filter(({ state }) => unread.includes(state));
  }
}

/** Those that make room for one more. */
function displacedOf(unread: readonly ModelRow[], keepNewest: number): ModelRow[] {
  return unread.slice(0, Math.max(0, unread.length + 1 - keepNewest));
}

/** Whether a batch or a handler that may still settle has it. */
function isHeld({ state, isLapsed }: ModelRow): boolean {
  return state === ('reserved' satisfies MessageState) && !isLapsed;
}

/** What is due or lapsed waits, though nobody has given it back yet. */
function shownState(row: ModelRow): ModelRow['state'] {
  return row.isLapsed && !isSpent(row) ? 'pending' : row.state;
}

function isSpent({ run }: ModelRow): boolean {
  return run !== null && run.state === 'held' && run.attempts >= run.limit;
}
