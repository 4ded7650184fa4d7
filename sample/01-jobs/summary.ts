import type { JobPage } from 'nest-redis-queue';
import { count, megabytes, milliseconds } from './format.js';
import type { IngestJobs } from './ingest.queue.js';
import type { Tally, TypeTally } from './tally.js';

/** The rows of the table, in their order. */
const ROWS: Readonly<Record<keyof IngestJobs, string>> = {
  file: 'files',
  preview: 'previews',
  upload: 'uploads',
  rescan: 're-scans',
  report: 'reports',
};

const HEAD = ['', 'jobs', 'done', 'failed', 'waited (mean)', 'waited (most)'];

/** The table at the end; jobs = done + failed in every row. */
export function summaryOf(tally: Tally): string {
  const rows = Object.entries(ROWS).map(([type, name]) => rowOf(name, tally.types.get(type)));
  return `\n${tableOf([HEAD, ...rows])}\n\n${kindsOf(tally)}\n`;
}

/** The failed jobs by name and reason. */
export function failuresOf({ jobs, total }: JobPage): string {
  const lines = jobs.map(
    ({ type, attempts, lastError }) => `  ${type}, ${attempts} attempts: ${lastError}`,
  );
  const others = total - jobs.length;
  const more = others > 0 ? [`  and ${count(others)} more`] : [];
  return ['failed for good:', ...lines, ...more].join('\n');
}

/** What the priorities were worth. */
export function waitsOf({ types }: Tally): string {
  const [background, interactive] = [meanWait(types.get('file')), meanWait(types.get('preview'))];
  if (background === undefined || interactive === undefined) return '';
  return (
    `\nwhoever opened a file waited ${milliseconds(interactive)}, ` +
    `a file in the background ${milliseconds(background)}\n`
  );
}

/** Whether each file that the walk found has ended; more have where some are gone since. */
export function balanceOf({ types }: Tally, found: number): { line: string; addsUp: boolean } {
  const { done = 0, failed = 0 } = types.get('file') ?? {};
  const ended = `${count(done + failed)} files = ${count(done)} done + ${count(failed)} failed`;
  const more = done + failed - found;
  if (more < 0) return { line: `${ended}, but ${count(found)} were found`, addsUp: false };
  const line = more === 0 ? ended : `${ended} (${count(more)} of them not seen by this walk)`;
  return { line, addsUp: true };
}

function rowOf(name: string, tally: TypeTally | undefined): string[] {
  const { done = 0, failed = 0, longestWaitMs } = tally ?? {};
  const mean = meanWait(tally);
  const waits = mean === undefined ? ['', ''] : [mean, longestWaitMs ?? 0].map(milliseconds);
  return [name, count(done + failed), count(done), count(failed), ...waits];
}

function meanWait(tally: TypeTally | undefined): number | undefined {
  return tally && tally.timed > 0 ? tally.waitedMs / tally.timed : undefined;
}

function tableOf(rows: readonly (readonly string[])[]): string {
  const widths = HEAD.map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  const lines = rows.map((row) =>
    row
      .map((cell, at) => (at === 0 ? cell.padEnd(widths[at]) : cell.padStart(widths[at])))
      .join('   ')
      .trimEnd(),
  );
  return lines.join('\n');
}

function kindsOf({ kinds, bytes }: Tally): string {
  const sorted = [...kinds].sort(([, one], [, other]) => other - one);
  const parts = sorted.map(([kind, files]) => `${kind} ${count(files)}`);
  return `${megabytes(bytes)} in all: ${parts.join(', ') || 'no files'}`;
}
