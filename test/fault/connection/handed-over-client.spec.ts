import { Redis } from 'ioredis';
import { RedisConnection } from '../../../lib/redis/index.js';
import { REDIS_URL, testPrefix } from '../../support/test-prefix.js';

const { prefix, keys, cleanUp } = testPrefix('handed');
let client: Redis;

beforeEach(() => {
  client = new Redis(REDIS_URL, {
    keyPrefix: `${prefix}:`,
    commandTimeout: 500,
    enableAutoPipelining: true,
    replyMapping: 'resp3',
  });
  client.on('error', () => undefined);
});

afterEach(() => {
  if (client.status !== 'end') client.disconnect();
});
afterAll(cleanUp);

describe('a client that was handed over', () => {
  test('lends its key prefix to scripts, commands and the doorbell', async () => {
    const connection = new RedisConnection({ connection: { client } });
    const lua = "redis.call('SET', KEYS[1] .. ':made', 1) return KEYS[2]";
    const reply = await connection.evaluate({ lua, sha1: '0'.repeat(40) }, ['{q}', '{q}:~'], []);
    expect(reply).toEqual(Buffer.from(`${prefix}:{q}:~`));
    await connection.command('XADD', ['{q}:stream', '*', 'a', '1']);
    const waiting = connection.doorbell.wait({ keys: ['{q}:bell'], timeoutMs: 5_000 });
    const begun = Date.now();
    await new Promise((resolve) => setTimeout(resolve, 700)); // longer than its commandTimeout
    await connection.command('lpush', ['{q}:bell', '1']);
    await waiting;
    expect(Date.now() - begun).toBeLessThan(3_000);
    expect(await keys()).toEqual([`${prefix}:{q}:made`, `${prefix}:{q}:stream`]);
    await connection.close();
    expect(await client.ping()).toBe('PONG');
  });

  test('is quit only when asked, and one that is closed already is no error', async () => {
    const connection = new RedisConnection({ connection: { client } });
    await connection.command('PING', []);
    await connection.close({ quitBorrowed: true });
    expect(client.status).toMatch(/close|end/);
    const again = new RedisConnection({ connection: { client } });
    await again.close({ quitBorrowed: true });
  });

  test('with an unreachable server does not hang the close', async () => {
    const absent = new Redis({ port: 1, host: '127.0.0.1' });
    absent.on('error', () => undefined);
    await new RedisConnection({ connection: { client: absent } }).close({ quitBorrowed: true });
    expect(absent.status).toBe('end');
  });
});
