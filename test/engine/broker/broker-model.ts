import type { MessageOrder, MessageState, QueueStats } from '../../../lib/broker/index.js';

interface ModelRow {
  readonly id: bigint;
  state: MessageState;
  queue: string;
}

/** What a namespace should hold, in the plainest way: a list of rows. */
export class BrokerModel {
  private list: ModelRow[] = [];

  has(id: bigint): boolean {
    return this.list.some((row) => row.id === id);
  }

  write(queue: string, id: bigint, _body: string, keepNewest?: number): void {
    this.list.push({ id, state: 'pending', queue });
    if (keepNewest === undefined) return;
    const unread = this.of(queue).filter(({ state }) => state !== 'claimed');
    for (const row of unread.slice(0, Math.max(0, unread.length - keepNewest)))
      row.state = 'claimed';
  }

  /** Whether the oldest rows that a write would displace hold a reserved one. */
  wouldDisplaceReserved(queue: string, keepNewest: number): boolean {
    const unread = this.of(queue).filter(({ state }) => state !== 'claimed');
    const displaced = unread.slice(0, Math.max(0, unread.length + 1 - keepNewest));
    return displaced.some(({ state }) => state === 'reserved');
  }

  read(queue: string, limit: number, order: MessageOrder): bigint[] {
    const waiting = this.of(queue).filter(({ state }) => state === 'pending');
    const taken = (order === 'oldest' ? waiting : waiting.reverse()).slice(0, limit);
    for (const row of taken) row.state = 'claimed';
    return taken.map(({ id }) => id);
  }

  move(
    source: string,
    target: string,
    { limit, withClaimed }: { readonly limit: number; readonly withClaimed: boolean },
  ): bigint[] {
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
    for (const { queue } of queues) this.write(queue, newest.get(queue)!, '');
  }

  isReserved(queue: string): boolean {
    return this.of(queue).some(({ state }) => state === 'reserved');
  }

  deleteAll(queue: string): void {
    this.list = this.list.filter((row) => row.queue !== queue);
  }

  /** Renames, or answers the code of the refusal. */
  rename(from: string, to: string): string | undefined {
    if (this.isReserved(from)) return 'RESERVED';
    if (this.of(to).length > 0) return 'QUEUE_EXISTS';
    for (const row of this.of(from)) row.queue = to;
    return undefined;
  }

  reserve(queue: string, limit: number): bigint[] {
    const taken = this.of(queue)
      .filter(({ state }) => state === 'pending')
      .slice(0, limit);
    for (const row of taken) row.state = 'reserved';
    return taken.map(({ id }) => id);
  }

  release(queue: string, ids: readonly bigint[]): void {
    for (const row of this.of(queue)) if (ids.includes(row.id)) row.state = 'pending';
  }

  vacuum(): void {
    this.list = this.list.filter(({ state }) => state !== 'claimed');
  }

  rows(queue: string): string[] {
    return this.of(queue).map(({ id, state }) => `${id} ${state}`);
  }

  queues(): string[] {
    return [...new Set(this.list.map(({ queue }) => queue))].sort();
  }

  private of(queue: string): ModelRow[] {
    return this.list
      .filter((row) => row.queue === queue)
      .sort((one, other) => (one.id < other.id ? -1 : 1));
  }
}
