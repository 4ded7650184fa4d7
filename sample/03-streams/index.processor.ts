import { setTimeout as pause } from 'node:timers/promises';
import type { StreamMessage } from 'nest-redis-queue';
import { audit, type AuditEntry } from './audit.stream.js';
import { Ledger } from './ledger.js';

/** What makes this group the slow one, in milliseconds an entry. */
const WORK_MS = 5;

/** Counts the words of every entry. */
@audit.Processor({ group: 'index', concurrency: 25 })
export class IndexProcessor {
  constructor(private readonly ledger: Ledger) {}

  @audit.Process()
  async index({ id, payload }: StreamMessage<AuditEntry>): Promise<void> {
    await pause(WORK_MS);
    const words = payload.text.match(/\w+/g)?.length ?? 0;
    await this.ledger.note('index', id, { entry: payload, amount: words });
  }
}
