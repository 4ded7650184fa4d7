import { isProven, type Proof } from './proof.js';

/** The table at the end, and what it proves. */
export function reportOf(proof: Proof, killed: string, tookMs: number): string {
  const { customers, events, handled, repeated, missing, outOfOrder } = proof;
  const rows: (readonly [string, number])[] = [
    ['customers', customers],
    ['events', events],
    ['handled', handled],
    ['handled again', repeated],
    ['missing', missing],
    ['out of order', outOfOrder],
    ...workersOf(proof, killed),
  ];
  const width = Math.max(...rows.map(([name]) => name.length));
  const table = rows.map(([name, value]) => `${name.padEnd(width)}   ${count(value).padStart(7)}`);
  return `\n${table.join('\n')}\n\n${conclusionOf(proof)} (${(tookMs / 1_000).toFixed(1)} s)`;
}

/** A whole number with its thousands apart. */
export function count(value: number): string {
  return value.toLocaleString('en-US');
}

function workersOf({ byWorker }: Proof, killed: string): [string, number][] {
  const names = [...byWorker.keys()].sort((one, other) => one.localeCompare(other));
  return names.map((name) => [
    `booked by ${name}${name === killed ? ' (killed)' : ''}`,
    byWorker.get(name) ?? 0,
  ]);
}

function conclusionOf(proof: Proof): string {
  if (isProven(proof)) return "every customer's events were handled in order, and none is missing";
  const { missing, outOfOrder } = proof;
  return `NOT as promised: ${count(missing)} missing, ${count(outOfOrder)} out of order`;
}
