import { JobDriver, type JobRecord } from '../../../lib/index.js';
import { RecordingLogger } from '../../contract/logs.js';
import { useChildPrograms, type ChildProgram } from '../../support/child-programs.js';
import { eventually } from '../../support/eventually.js';
import { REDIS_URL, testPrefix } from '../../support/test-prefix.js';
import type { ChildAppSetup } from './child/app.js';

const JOBS = 40;

const children = useChildPrograms('test/fault/nest/child');
const { prefix, cleanUp } = testPrefix('stop-load');
let queue = 0;
let driver: JobDriver;
let ids: string[];

beforeEach(async () => {
  const connection = { url: REDIS_URL };
  const options = { prefix: `${prefix}-${queue++}`, queue: 'work', promoter: false };
  driver = new JobDriver({ connection, logger: new RecordingLogger(), ...options });
  const jobs = Array.from({ length: JOBS }, () => ({ type: 'any', payload: null }));
  ids = (await driver.enqueueMany(jobs)).map(({ id }) => id);
});

afterEach(() => driver.close());
afterAll(() => cleanUp());

function startApp(setup: Pick<ChildAppSetup, 'graceMs' | 'workMs'>): ChildProgram {
  return children.run('app', { url: REDIS_URL, prefix: `${prefix}-${queue - 1}`, ...setup });
}

/** The ids that the application has said this word of. */
function saidOf(child: ChildProgram, word: 'begin' | 'end'): string[] {
  const lines = child.words().filter((line) => line.startsWith(`${word} `));
  return lines.map((line) => line.slice(word.length + 1)).sort();
}

async function allOf(status: 'done' | 'pending'): Promise<readonly JobRecord[]> {
  return (await driver.list({ status, limit: 500 })).jobs;
}

function idsOf(records: readonly JobRecord[]): string[] {
  return records.map(({ id }) => id).sort();
}

/** SIGTERM once so many jobs have begun and all slots are busy. */
async function stopAfter(child: ChildProgram, begun: number): Promise<void> {
  await eventually(() => saidOf(child, 'begin').length >= begun, { withinMs: 20_000 });
  child.kill('SIGTERM');
  expect(await child.ended).toEqual({ code: null, signal: 'SIGTERM' });
}

async function expectRestIsDoneBy(child: ChildProgram): Promise<void> {
  await eventually(async () => (await driver.stats()).done === JOBS, { withinMs: 20_000 });
  child.kill('SIGTERM');
  await child.ended;
  const records = await allOf('done');
  expect(idsOf(records)).toEqual([...ids].sort());
  for (const record of records) expect(record).toMatchObject({ attempts: 1, recoveries: 0 });
  expect(await driver.audit()).toEqual([]);
}

describe('SIGTERM under load', () => {
  test('within the grace: what runs ends, the rest stays, and the next start does it', async () => {
    const first = startApp({ graceMs: 15_000, workMs: 300 });
    await stopAfter(first, 15);
    expect(saidOf(first, 'end')).toEqual(saidOf(first, 'begin'));
    const [done, pending] = [await allOf('done'), await allOf('pending')];
    expect(idsOf(done)).toEqual(saidOf(first, 'end'));
    expect(done.length + pending.length).toBe(JOBS);
    for (const record of pending) expect(record).toMatchObject({ attempts: 0, lastError: null });
    const second = startApp({ graceMs: 15_000, workMs: 1 });
    await expectRestIsDoneBy(second);
    expect(saidOf(second, 'begin')).toEqual(idsOf(pending));
  });

  test('past the grace: what runs goes back and has not failed, and the next start does it', async () => {
    const first = startApp({ graceMs: 1_000, workMs: 60_000 });
    await stopAfter(first, 5);
    expect(saidOf(first, 'end')).toEqual([]);
    const pending = await allOf('pending');
    expect(idsOf(pending)).toEqual([...ids].sort());
    for (const record of pending) {
      expect(record).toMatchObject({ attempts: 0, recoveries: 0, lastError: null });
    }
    const second = startApp({ graceMs: 1_000, workMs: 1 });
    await expectRestIsDoneBy(second);
    expect(saidOf(second, 'begin')).toEqual([...ids].sort());
  });
});
