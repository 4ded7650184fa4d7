import { JobDriver } from '../../lib/index.js';
import { type CompiledSample, compileSample } from '../support/compiled-sample.js';
import { freePort } from '../support/redis-server.js';
import { REDIS_URL } from '../support/test-prefix.js';
import { contentOf, makeFolder, type MadeFolder, rowOf, sha256Of } from './sample-01.fixture.js';

const FILES = 1_200;

let sample: CompiledSample;
let folder: MadeFolder;

beforeAll(async () => {
  [sample, folder] = await Promise.all([compileSample('01-jobs'), makeFolder(FILES)]);
}, 60_000);

afterAll(async () => {
  await sample.remove();
  await folder.remove();
});

describe('a run over a folder', () => {
  let code: unknown;
  let output: string;

  beforeAll(async () => {
    ({ code, output } = await sample.run([folder.path, '--concurrency', '2']));
  }, 60_000);

  it('ends well, in plain lines, with a table that adds up', () => {
    expect({ code, output }).toMatchObject({ code: 0 });
    expect(output).not.toContain('\r');
    expect(output).not.toContain('\u001b');
    expect(output).toContain('1,200 files found, 1,200 of them new');
    expect(output).toMatch(/[\d,]+ of [\d,]+ jobs ended, [\d,]+ waiting/);
    expect(rowOf(output, 'files').slice(0, 3)).toEqual([FILES, FILES, 0]);
    expect(output).toContain('1,200 files = 1,200 done + 0 failed\n');
  });

  it('lets those who wait pass those who do not', () => {
    const [, , , backgroundMs] = rowOf(output, 'files');
    const [previews, done, failed, interactiveMs] = rowOf(output, 'previews');
    expect([previews, done, failed]).toEqual([5, 5, 0]);
    expect(interactiveMs).toBeLessThan(backgroundMs);
    expect(output).toMatch(/whoever opened a file waited \d+ ms, a file in the background/);
  });

  it('makes the report late and the re-scan once', () => {
    const [reports, , , reportMs] = rowOf(output, 'reports');
    expect(reports).toBe(1);
    expect(reportMs).toBeGreaterThanOrEqual(1_000);
    expect(output).toContain('report asked for 1.0 s ago');
    expect(output).toContain('re-scan asked for 3 times, 2 absorbed');
    expect(output).toContain('re-scan: 0 new among 1,200 files');
    expect(rowOf(output, 're-scans').slice(0, 3)).toEqual([1, 1, 0]);
  });

  it('retries what fails, keeps it in failed, and runs it again by hand', () => {
    expect(rowOf(output, 'uploads').slice(0, 3)).toEqual([2, 1, 1]);
    expect(output).toContain('late.txt is here now; retried by hand after 3 attempts');
    expect(output).toMatch(/failed for good:\n {2}upload, 3 attempts: ENOENT.*lost\.txt/);
  });

  it('keeps size, hash and kind of each file as the result of its job', async () => {
    const driver = new JobDriver({
      connection: { url: REDIS_URL },
      queue: 'ingest',
      prefix: folder.prefix,
      promoter: false,
    });
    const { jobs } = await driver.list<{ path: string }>({ status: 'done', limit: 500 });
    await driver.close();
    const files = jobs.filter(({ type }) => type === 'file');
    expect(files.length).toBeGreaterThan(400);
    for (const { payload, result } of files) {
      const content = contentOf(Number(/(\d+)\.txt$/.exec(payload.path)?.[1]));
      const facts = { bytes: content.length, sha256: sha256Of(content), kind: 'text' };
      expect(result).toEqual(facts);
    }
  });

  it('finds everything done when it is started again', async () => {
    const again = await sample.run([folder.path]);
    expect(again).toMatchObject({ code: 0 });
    expect(again.output).toContain('1,200 files found, 0 of them new');
    expect(again.output).toContain('1,200 files = 1,200 done + 0 failed\n');
    expect(rowOf(again.output, 'uploads').slice(0, 3)).toEqual([2, 1, 1]);
  }, 60_000);
});

describe('a call that cannot work', () => {
  it.each([
    [['--nope'], "Unknown option '--nope'"],
    [['--concurrency', '0'], '--concurrency 0: expected a number from 1 to 1000'],
    [['--concurrency', 'many'], '--concurrency many: expected a number'],
    [['one', 'two'], 'one folder, not 2'],
    [['no such folder'], 'no such folder: there is no such folder'],
  ])('%j says so and ends with 2', async (args, message) => {
    const { code, output } = await sample.run(args);
    expect(code).toBe(2);
    expect(output).toContain(message);
    expect(output).toContain('usage: npm run sample');
    expect(output).not.toMatch(/^ +at /m);
  });

  it('says that there is no Redis and ends with 1, in bounded time', async () => {
    const url = `redis://127.0.0.1:${await freePort()}`;
    const { code, output } = await sample.run([folder.path], { REDIS_URL: url });
    expect(code).toBe(1);
    expect(output).toContain(`no connection to ${url.slice('redis://'.length)}`);
    expect(output).not.toMatch(/^ +at /m);
  });

  it('says that REDIS_URL is none and ends with 1', async () => {
    const { code, output } = await sample.run([folder.path], { REDIS_URL: 'nonsense' });
    expect(code).toBe(1);
    expect(output).toMatch(/^connection\.url: expected redis.*\n$/);
  });
});
