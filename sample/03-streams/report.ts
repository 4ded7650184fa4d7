import type { Written } from './audit.log.js';
import { hex } from './checksum.js';
import type { SeenByGroup } from './ledger.js';

/** A number as people read it. */
export function count(number: number): string {
  return number.toLocaleString('en-US');
}

/** Whether a group has seen exactly what was written. */
export function hasSeenAll(seen: SeenByGroup, written: Written): boolean {
  return seen.entries === written.entries && seen.checksum === written.checksum;
}

/** The table at the end. */
export function reportOf(written: Written, groups: Readonly<Record<string, SeenByGroup>>): string {
  const rows = Object.entries(groups).map(([name, seen]) => [
    name,
    count(seen.entries),
    hex(seen.checksum),
    count(seen.total),
    count(seen.runs - seen.entries),
  ]);
  const table = [
    ['group', 'entries', 'checksum', 'total', 'again'],
    ['written', count(written.entries), hex(written.checksum), '', ''],
    ...rows,
  ];
  const isAll = Object.values(groups).every((seen) => hasSeenAll(seen, written));
  const verdict = isAll ? 'both groups have seen every entry' : 'a group has NOT seen every entry';
  return [...table.map(line), verdict].join('\n');
}

function line(cells: readonly string[]): string {
  return cells.map((cell, at) => (at === 0 ? cell.padEnd(10) : cell.padStart(12))).join('');
}
