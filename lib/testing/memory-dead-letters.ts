import type { DeadLetter, DeadLetters } from '../contract/index.js';
import { checkInteger } from '../errors/index.js';
import { decode, type MemoryRecord } from './memory-message.js';
import type { MemoryQueue } from './memory-queue.js';

/** The dead letters of one queue of a `MemoryEngine`. */
export class MemoryDeadLetters implements DeadLetters {
  constructor(private readonly queue: MemoryQueue) {}

  count(): Promise<number> {
    return Promise.resolve(this.dead().length);
  }

  /** @throws InvalidOptionError naming `limit` or `offset` */
  async list(page: { readonly limit?: number; readonly offset?: number } = {}) {
    const limit = checkInteger('limit', page.limit ?? 100, { min: 1, max: 500 });
    const offset = checkInteger('offset', page.offset ?? 0, { min: 0 });
    const letters = this.dead()
      .slice(offset, offset + limit)
      .map(toDeadLetter);
    return Promise.resolve(letters);
  }

  redrive(id: string): Promise<boolean> {
    const record = this.find(id);
    if (record !== undefined) {
      record.attempt = 0;
      this.queue.enqueue(record, 0);
    }
    return Promise.resolve(record !== undefined);
  }

  drop(id: string): Promise<boolean> {
    const isDead = this.find(id) !== undefined;
    if (isDead) this.queue.records.delete(id);
    return Promise.resolve(isDead);
  }

  /** Newest first; the queue keeps its records in the order in which they ended. */
  private dead(): MemoryRecord[] {
    this.queue.upkeep();
    const records = [...this.queue.records.values()];
    return records.filter(({ state }) => state === 'dead').reverse();
  }

  private find(id: string): MemoryRecord | undefined {
    return this.dead().find((record) => record.id === id);
  }
}

function toDeadLetter(record: MemoryRecord): DeadLetter {
  const { id, headers, attempt, reason, endedAt } = record;
  const { payload } = decode(record.body);
  return { id, payload, headers, attempts: attempt, reason, deadAt: endedAt };
}
