import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { JobDriver, type JobRecord } from '../../lib/index.js';
import { type CompiledSample, compileSample } from '../support/compiled-sample.js';
import { eventually } from '../support/eventually.js';
import { REDIS_URL } from '../support/test-prefix.js';
import { makeFolder, type MadeFolder, rowOf } from './sample-01.fixture.js';

const FILES = 6_000;

type FileJob = JobRecord<{ path: string }>;

let sample: CompiledSample;
let folder: MadeFolder;
let driver: JobDriver;

beforeAll(async () => {
  [sample, folder] = await Promise.all([compileSample('01-jobs'), makeFolder(FILES)]);
  driver = new JobDriver({
    connection: { url: REDIS_URL },
    queue: 'ingest',
    prefix: folder.prefix,
    promoter: false,
  });
}, 60_000);

afterAll(async () => {
  await driver.close();
  await sample.remove();
  await folder.remove();
});

/** Starts the sample and stops it by a signal once some jobs are done. */
async function interrupt(signal: NodeJS.Signals, more: number) {
  const { done } = await driver.stats();
  const run = sample.start([folder.path, '--concurrency', '1']);
  await eventually(async () => (await driver.stats()).done >= done + more, { everyMs: 2 });
  run.kill(signal);
  const code = await run.ended;
  return { code, output: run.output, stats: await driver.stats() };
}

async function fileJobs(): Promise<FileJob[]> {
  const found: FileJob[] = [];
  let cursor: string | undefined;
  do {
    const page = await driver.list<{ path: string }>({ limit: 500, cursor });
    found.push(...page.jobs.filter(({ type }) => type === 'file'));
    cursor = page.next ?? undefined;
  } while (cursor !== undefined);
  return found;
}

describe('a run that is stopped', () => {
  it.each(['SIGINT', 'SIGTERM'] as const)(
    'by %s drains what runs and leaves the rest',
    async (signal) => {
      const { code, output, stats } = await interrupt(signal, 100);
      expect({ code, output }).toMatchObject({ code: signal });
      expect(stats.running).toBe(0);
      expect(stats.pending).toBeGreaterThan(0);
      expect(output).toMatch(/^stopped: [\d,]+ jobs done, \d failed, [\d,]+ left/m);
      expect(output).not.toMatch(/^ +at /m);
    },
    60_000,
  );

  it('goes on from there, with files that vanished as failures, and none is done twice', async () => {
    const waiting = (await driver.list({ status: 'pending', limit: 500 })).jobs as FileJob[];
    const vanished = waiting.filter(({ type }) => type === 'file').slice(-3);
    for (const { payload } of vanished) await rm(join(folder.path, payload.path));

    const run = sample.start([folder.path]);
    expect({ code: await run.ended, output: run.output }).toMatchObject({ code: 0 });
    expect(run.output).toMatch(/^going on: [\d,]+ jobs ended before, [\d,]+ are left/m);
    expect(rowOf(run.output, 'files').slice(0, 3)).toEqual([FILES, FILES - 3, 3]);

    const jobs = await fileJobs();
    expect(new Set(jobs.map(({ payload }) => payload.path)).size).toBe(FILES);
    expect(jobs).toHaveLength(FILES);
    const done = jobs.filter(({ status }) => status === 'done');
    expect(done).toHaveLength(FILES - 3);
    expect(done.every(({ attempts, recoveries }) => attempts === 1 && recoveries === 0)).toBe(true);
    const failed = jobs.filter(({ status }) => status === 'failed').map(({ id }) => id);
    expect(failed.sort()).toEqual(vanished.map(({ id }) => id).sort());
  }, 60_000);
});
