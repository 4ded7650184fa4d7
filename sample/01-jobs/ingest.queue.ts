import { defineQueue } from 'nest-redis-queue';

/** What the queue carries: the payload of each type of job. */
export interface IngestJobs {
  /** Takes in one file of the folder; the background work, thousands of them. */
  file: { path: string };
  /** Someone opened a file and waits for a glimpse of it. */
  preview: { path: string };
  /** Takes in one file that someone uploads; it may still be on its way. */
  upload: { name: string };
  /** Looks for files that appeared since the walk. */
  rescan: { askedBy: string };
  /** Tells how far the work is, some time after it was asked for. */
  report: { afterMs: number };
}

/** The one place that names the queue; processor, producers and types follow from it. */
export const ingest = defineQueue<IngestJobs>({ engine: 'jobs', name: 'ingest' });

/** Higher runs first, whatever came earlier; equal ones run in the order of arrival. */
export const PRIORITY = { someoneWaits: 100, background: 0, whenIdle: -1 } as const;
