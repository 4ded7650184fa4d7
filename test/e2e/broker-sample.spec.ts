import { Redis } from 'ioredis';
import { type CompiledSample, compileSample } from '../support/compiled-sample.js';
import { freePort } from '../support/redis-server.js';
import { REDIS_URL } from '../support/test-prefix.js';

let sample: CompiledSample;

beforeAll(async () => {
  sample = await compileSample('04-broker');
}, 60_000);

afterAll(() => sample.remove());

it('a day in the mailroom: every guarantee holds, and no key is left', async () => {
  const { code, output } = await sample.run(['--letters', '90']);
  expect({ code, output }).toMatchObject({ code: 0 });
  expect(output.match(/^held /gm)).toHaveLength(10);
  expect(output).not.toContain('BROKEN');
  expect(output).toContain('sales 30, support 30, billing 30');
  expect(output).toContain('4 read before it was dropped, 4 of them came again');
  expect(output).toContain('5 kept, 45 displaced, the newest is 500 g');
  expect(output).toContain('200 of 200 slips in room-2, 0 in room-1');
  const redis = new Redis(REDIS_URL);
  expect(await redis.keys('mailroom-*')).toEqual([]);
  await redis.quit();
}, 60_000);

it.each([
  [['--nope'], "Unknown option '--nope'"],
  [['--letters', 'many'], '--letters many: expected a number from 30 to 100000'],
])('the call %j cannot work, says so and ends with 2', async (args, message) => {
  const { code, output } = await sample.run(args);
  expect(code).toBe(2);
  expect(output).toContain(message);
  expect(output).toContain('usage: npm run sample:broker');
});

it('says that there is no Redis and ends with 1, in bounded time', async () => {
  const url = `redis://127.0.0.1:${await freePort()}`;
  const { code, output } = await sample.run([], { REDIS_URL: url });
  expect(code).toBe(1);
  expect(output).toContain(`no connection to ${url.slice('redis://'.length)}`);
}, 60_000);
