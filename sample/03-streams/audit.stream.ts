import { defineQueue } from 'nest-redis-queue';

/** One line of one file, as it is put on record. */
export interface AuditEntry {
  readonly file: string;
  readonly line: number;
  readonly text: string;
}

/** How long a silent worker keeps its entries, in milliseconds: so soon another one has them. */
export const LEASE_MS = 2_000;

export const audit = defineQueue<AuditEntry>({
  engine: 'streams',
  name: 'audit',
  leaseMs: LEASE_MS,
});
