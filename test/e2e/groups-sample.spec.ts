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
  sample = await compileSample('02-groups');
  folder = await mkdtemp(join(tmpdir(), 'rq-orders-'));
}, 60_000);

afterAll(async () => {
  await sample.remove();
  await rm(folder, { recursive: true, force: true });
});

/** The number in a row of the table. */
function rowOf(output: string, name: string): number {
  const line = output.split('\n').find((one) => one.startsWith(`${name}  `)) ?? '';
  return Number(/([\d,]+)$/.exec(line)?.[1].replaceAll(',', ''));
}

describe('order events shared by worker processes, one of which is killed', () => {
  it('are all handled, every customer in order, and the table says so', async () => {
    const { code, output } = await sample.run();
    expect({ code, output }).toMatchObject({ code: 0 });
    const [customers, events] = [rowOf(output, 'customers'), rowOf(output, 'events')];
    expect(customers).toBeGreaterThan(200);
    expect(events).toBeGreaterThan(3_000);
    expect(rowOf(output, 'handled')).toBe(events);
    expect([rowOf(output, 'missing'), rowOf(output, 'out of order')]).toEqual([0, 0]);
    const [, killed] = /(w\d) is killed with [\d,]+ events to go/.exec(output) ?? [];
    const booked = ['w1', 'w2', 'w3', 'w4'].map((name) =>
      rowOf(output, `booked by ${name}${name === killed ? ' (killed)' : ''}`),
    );
    const sum = booked.reduce((total, one) => total + one, 0);
    expect(sum).toBe(events + rowOf(output, 'handled again'));
    expect(Math.min(...booked)).toBeGreaterThan(0);
    expect(output).toContain("every customer's events were handled in order, and none is missing");
    const redis = new Redis(REDIS_URL);
    expect(await redis.keys('orders-*')).toEqual([]);
    await redis.quit();
  }, 90_000);

  it('come from a file of the caller’s own, too', async () => {
    const file = join(folder, 'events.csv');
    const lines = Array.from(
      { length: 400 },
      (_, n) => `2026-01-05T06:00:00Z,C${n % 7},O-1,paid,5`,
    );
    await writeFile(file, ['time,customer,order,type,cents', ...lines, ''].join('\n'));
    const { code, output } = await sample.run([file, '--workers', '2']);
    expect({ code, output }).toMatchObject({ code: 0 });
    expect([rowOf(output, 'customers'), rowOf(output, 'events')]).toEqual([7, 400]);
  }, 60_000);
});

describe('a call that cannot work', () => {
  it.each([
    [['--nope'], "Unknown option '--nope'"],
    [['--workers', '1'], '--workers 1: expected a number from 2 to 32'],
    [['one', 'two'], 'one file, not 2'],
    [['no such file'], 'no such file: there is no such file'],
  ])('%j says so and ends with 2', async (args, message) => {
    const { code, output } = await sample.run(args);
    expect(code).toBe(2);
    expect(output).toContain(message);
    expect(output).toContain('usage: npm run sample:groups');
    expect(output).not.toMatch(/^ +at /m);
  });

  it('names the line of the file that is no event, and ends with 1', async () => {
    const file = join(folder, 'broken.csv');
    await writeFile(
      file,
      'time,customer,order,type,cents\n2026-01-05T06:00:00Z,C1,O-1,paid,5\nhello\n',
    );
    const { code, output } = await sample.run([file]);
    expect(code).toBe(1);
    expect(output).toContain('line 3 of the file is no order event: hello');
  }, 60_000);

  it('says that there is no Redis and ends with 1, in bounded time', async () => {
    const url = `redis://127.0.0.1:${await freePort()}`;
    const { code, output } = await sample.run([], { REDIS_URL: url });
    expect(code).toBe(1);
    expect(output).toContain(`no connection to ${url.slice('redis://'.length)}`);
  }, 60_000);
});
