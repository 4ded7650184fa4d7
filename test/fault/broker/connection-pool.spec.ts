import { createHash } from 'node:crypto';
import { ConnectionPool, RedisConnection } from '../../../lib/redis/index.js';
import { eventually } from '../../support/eventually.js';
import { FaultyProxy } from '../../support/faulty-proxy.js';
import { REDIS_URL, testPrefix } from '../../support/test-prefix.js';

const { prefix, cleanUp } = testPrefix('pool');
const keys = [`${prefix}:{q}`, `${prefix}:{q}:~`];
const lua = "return redis.call('INCR', KEYS[1])";
const increment = { lua, sha1: createHash('sha1').update(lua).digest('hex') };

let proxy: FaultyProxy;
let connection: RedisConnection;

beforeEach(async () => {
  proxy = await FaultyProxy.start(Number(new URL(REDIS_URL).port));
  connection = new RedisConnection({ connection: { url: proxy.url }, commandTimeoutMs: 2_000 });
});

afterEach(async () => {
  await connection.close();
  await proxy.stop();
});

afterAll(cleanUp);

function pool(maxConnections: number, poolTimeoutMs = 2_000): ConnectionPool {
  return new ConnectionPool(connection, { maxConnections, poolTimeoutMs });
}

const count = (from: ConnectionPool) => from.evaluate(increment, keys, []);

describe('a pool of connections', () => {
  test('opens one for each command in flight, up to its limit, and none before', async () => {
    const small = pool(3);
    expect(proxy.connections).toBe(0);
    await count(small);
    await count(small);
    expect(proxy.connections).toBe(1);
    await Promise.all(Array.from({ length: 20 }, () => count(small)));
    expect([small.size, proxy.connections]).toEqual([3, 3]);
    expect(await small.command('GET', [keys[0]])).toEqual(Buffer.from('22'));
  });

  test('that is exhausted says so in time, and what waits is not sent', async () => {
    const small = pool(2, 100);
    await Promise.all([count(small), count(small)]);
    const before = Number(await small.command('GET', [keys[0]]));
    proxy.stall();
    const busy = [count(small), count(small)];
    const begun = performance.now();
    await expect(count(small)).rejects.toMatchObject({
      code: 'POOL_EXHAUSTED',
      retryable: true,
      outcomeAmbiguous: false,
    });
    expect(performance.now() - begun).toBeLessThan(1_500);
    proxy.resume();
    await Promise.all(busy);
    expect(await count(small)).toBe(before + 3);
  });

  test('serves whoever has waited longest first', async () => {
    const one = pool(1);
    const replies = await Promise.all(Array.from({ length: 10 }, () => count(one)));
    expect(replies).toEqual(replies.map((_, at) => (replies[0] as number) + at));
  });

  test('goes on after a command that failed', async () => {
    const one = pool(1);
    await count(one);
    await expect(one.command('INCR', [keys[0], 'too', 'many'])).rejects.toMatchObject({
      code: 'OPERATION_FAILED',
    });
    await count(one);
    proxy.cut();
    await one.command('GET', [keys[0]], { idempotent: true });
  });

  test('that is closed ends what waits', async () => {
    const one = pool(1);
    await count(one);
    proxy.stall();
    const busy = count(one);
    const waiting = count(one);
    one.close();
    await expect(waiting).rejects.toMatchObject({ code: 'CLOSED' });
    await expect(count(one)).rejects.toMatchObject({ code: 'CLOSED' });
    proxy.resume();
    await busy;
  });

  test('closes all its connections with the one it was made from', async () => {
    const small = pool(3);
    await Promise.all([count(small), count(small), count(small)]);
    await connection.close();
    await expect(count(small)).rejects.toMatchObject({ code: 'CLOSED' });
    await eventually(() => proxy.connections === 0);
  });
});
