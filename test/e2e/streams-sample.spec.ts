import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { type CompiledSample, compileSample } from '../support/compiled-sample.js';
import { freePort } from '../support/redis-server.js';
import { REDIS_URL } from '../support/test-prefix.js';

let sample: CompiledSample;
let folder: string;

beforeAll(async () => {
  sample = await compileSample('03-streams');
  folder = await mkdtemp(join(tmpdir(), 'rq-audit-'));
}, 60_000);

afterAll(async () => {
  await sample.remove();
  await rm(folder, { recursive: true, force: true });
});

/** The cells of a row of the table. */
function rowOf(output: string, name: string): string[] {
  const line = output.split('\n').find((one) => one.startsWith(`${name} `)) ?? '';
  return line.split(/ +/).slice(1);
}

describe('an audit log with a slow group and a worker that is killed', () => {
  it('is seen by both groups entry for entry, and the table says so', async () => {
    const { code, output } = await sample.run(['lib']);
    expect({ code, output }).toMatchObject({ code: 0 });
    const [entries, checksum] = rowOf(output, 'written');
    expect(Number(entries.replaceAll(',', ''))).toBeGreaterThan(3_000);
    for (const group of ['index', 'totals'])
      expect(rowOf(output, group).slice(0, 2)).toEqual([entries, checksum]);
    expect(output).toContain('one is killed');
    expect(output).toContain('both groups have seen every entry');
    const redis = new Redis(REDIS_URL);
    expect(await redis.keys('audit-*')).toEqual([]);
    await redis.quit();
  }, 90_000);

  it('may hold any text, files without one are left out', async () => {
    const lines = Array.from({ length: 300 }, (_, n) => `žluť ${n} 馬`);
    await writeFile(join(folder, 'a.txt'), lines.join('\n'));
    await writeFile(join(folder, 'b.bin'), Buffer.from([1, 0, 2]));
    const { code, output } = await sample.run([folder]);
    expect({ code, output }).toMatchObject({ code: 0 });
    expect(rowOf(output, 'totals')[0]).toBe('300');
  }, 60_000);
});

describe('a call that cannot work', () => {
  it.each([
    [['--nope'], "Unknown option '--nope'"],
    [['one', 'two'], 'one folder, not 2'],
    [['no such folder'], 'no such folder: there is no such folder'],
  ])('%j says so and ends with 2', async (args, message) => {
    const { code, output } = await sample.run(args);
    expect(code).toBe(2);
    expect(output).toContain(message);
    expect(output).toContain('usage: npm run sample:streams');
    expect(output).not.toMatch(/^ +at /m);
  });

  it('says that there is no Redis and ends with 1, in bounded time', async () => {
    const url = `redis://127.0.0.1:${await freePort()}`;
    const { code, output } = await sample.run(['lib'], { REDIS_URL: url });
    expect(code).toBe(1);
    expect(output).toContain(`no connection to ${url.slice('redis://'.length)}`);
  }, 60_000);
});
