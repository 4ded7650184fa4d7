import { createHash } from 'node:crypto';
import type { AuditEntry } from './audit.stream.js';

/** The first bytes of a hash over everything that an entry says, as a number. */
export function checksumOf({ file, line, text }: AuditEntry): number {
  const hash = createHash('sha256').update(`${file}\0${line}\0${text}`);
  return hash.digest().readUInt32BE(0);
}

/** A checksum over many entries that does not depend on their order; repeats cancel out. */
export function combine(sum: number, checksum: number): number {
  return (sum ^ checksum) >>> 0;
}

/** As it is shown. */
export function hex(checksum: number): string {
  return checksum.toString(16).padStart(8, '0');
}
