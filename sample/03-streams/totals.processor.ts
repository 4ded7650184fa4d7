import { setTimeout as pause } from 'node:timers/promises';
import type { StreamMessage } from 'nest-redis-queue';
import { audit, type AuditEntry } from './audit.stream.js';
import { Ledger } from './ledger.js';

/** Adds up the bytes of every entry; two worker processes share the group. */
@audit.Processor({ group: 'totals', concurrency: 10, prefetch: 20, maxDeliveries: 5 })
export class TotalsProcessor {
  constructor(private readonly ledger: Ledger) {}

  @audit.Process()
  async add({ id, payload }: StreamMessage<AuditEntry>): Promise<void> {
    await pause(1);
    const amount = Buffer.byteLength(payload.text);
    await this.ledger.note('totals', id, { entry: payload, amount });
  }
}
