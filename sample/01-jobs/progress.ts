import type { JobStats } from 'nest-redis-queue';
import { count } from './format.js';

const BAR_WIDTH = 24;

/** How far the queue is, as a bar: `[######------]`. */
export function barOf(stats: JobStats): string {
  const ended = stats.done + stats.failed;
  const filled = Math.floor((ended / Math.max(1, ended + leftOf(stats))) * BAR_WIDTH);
  return `[${'#'.repeat(filled)}${'-'.repeat(BAR_WIDTH - filled)}]`;
}

/** How far the queue is, in words. */
export function progressOf(stats: JobStats): string {
  const ended = stats.done + stats.failed;
  return (
    `${count(ended)} of ${count(ended + leftOf(stats))} jobs ended, ` +
    `${count(stats.pending)} waiting, ${count(stats.failed)} failed`
  );
}

/** What a run that was stopped leaves behind. */
export function stoppedOf(stats: JobStats): string {
  return (
    `stopped: ${count(stats.done)} jobs done, ${count(stats.failed)} failed, ` +
    `${count(leftOf(stats))} left for the next start on this Redis`
  );
}

/** How many jobs have not ended yet. */
export function leftOf({ pending, scheduled, running }: JobStats): number {
  return pending + scheduled + running;
}

/** Whether the queue holds any job at all, ended or not. */
export function hasWork(stats: JobStats): boolean {
  return stats.done + stats.failed + leftOf(stats) > 0;
}
