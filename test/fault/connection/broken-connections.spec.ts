import { createHash } from 'node:crypto';
import { Redis } from 'ioredis';
import {
  CommandTimeoutError,
  NotConnectedError,
  ReplyLostError,
} from '../../../lib/errors/index.js';
import { RedisConnection, type ConnectionSettings } from '../../../lib/redis/index.js';
import { eventually } from '../../support/eventually.js';
import { FaultyProxy } from '../../support/faulty-proxy.js';
import { freePort } from '../../support/redis-server.js';
import { REDIS_URL, testPrefix } from '../../support/test-prefix.js';

const { prefix, cleanUp } = testPrefix('broken');
const keys = [`${prefix}:{q}`, `${prefix}:{q}:~`];
const direct = new Redis(REDIS_URL);
const increment = embedded("return redis.call('INCR', KEYS[1])");

let proxy: FaultyProxy;
let connection: RedisConnection;
let lines: string[];

beforeEach(async () => {
  proxy = await FaultyProxy.start(Number(new URL(REDIS_URL).port));
  lines = [];
  connection = connect({});
  await connection.command('PING', []);
  await direct.del(keys[0]);
});

afterEach(async () => {
  await connection.close();
  await proxy.stop();
});

afterAll(async () => {
  direct.disconnect();
  await cleanUp();
});

function connect(settings: Partial<ConnectionSettings>): RedisConnection {
  const log = (line: unknown) => void lines.push(String(line));
  return new RedisConnection({
    connection: { url: proxy.url },
    connectTimeoutMs: 3_000,
    commandTimeoutMs: 500,
    logger: { log, warn: log, error: log },
    ...settings,
  });
}

function embedded(lua: string) {
  return { lua, sha1: createHash('sha1').update(lua).digest('hex') };
}

function count(options?: { idempotent: boolean }): Promise<unknown> {
  return connection.evaluate(increment, keys, [], options);
}

describe('a connection that breaks', () => {
  test('while idle is replaced before the next call fails', async () => {
    proxy.cut();
    await eventually(() => !connection.connected);
    expect(await count()).toBe(1);
    expect(await direct.get(keys[0])).toBe('1');
  });

  test('in flight loses the reply: the outcome is open and the call is not sent again', async () => {
    await count();
    proxy.dropReplies();
    const call = count();
    await eventually(async () => (await direct.get(keys[0])) === '2');
    const rejected = expect(call).rejects.toThrow(ReplyLostError);
    proxy.cut();
    proxy.resume();
    await rejected;
    await expect(call).rejects.toMatchObject({ outcomeAmbiguous: true, retryable: true });
    await connection.command('PING', []);
    expect(await direct.get(keys[0])).toBe('2');
  });

  test('in flight under an idempotent call sends it again', async () => {
    await count();
    proxy.dropReplies();
    const call = count({ idempotent: true });
    await eventually(async () => (await direct.get(keys[0])) === '2');
    proxy.resume();
    proxy.cut();
    expect(await call).toBe(3);
  });

  test('for an idempotent call and stays away: the outcome stays open', async () => {
    connection = await reconnectWith({ connectTimeoutMs: 300 });
    await count();
    proxy.dropReplies();
    const call = count({ idempotent: true });
    await eventually(async () => (await direct.get(keys[0])) === '2');
    proxy.refuse();
    await expect(call).rejects.toMatchObject({ code: 'REPLY_LOST', outcomeAmbiguous: true });
  });

  test('is told once for each change of state', async () => {
    proxy.refuse();
    await eventually(() => !connection.connected);
    await expect(connection.command('PING', [], { timeoutMs: 1_000 })).rejects.toThrow(
      NotConnectedError,
    );
    expect(connection.connected).toBe(false);
    proxy.resume();
    await connection.command('PING', []);
    expect(connection.connected).toBe(true);
    expect(lines).toHaveLength(2);
    expect(lines[0]).toMatch(/no connection to 127\.0\.0\.1:\d+/);
    expect(lines[1]).toMatch(/connected again/);
  });
});

describe('a server that does not answer', () => {
  test.each(['stall', 'blackHole', 'dropReplies'] as const)(
    '%s: the call ends at its deadline and the next one works',
    async (misbehave) => {
      proxy[misbehave]();
      const begun = Date.now();
      await expect(count()).rejects.toThrow(CommandTimeoutError);
      expect(Date.now() - begun).toBeLessThan(3_000);
      expect(connection.connected).toBe(false);
      proxy.resume();
      proxy.cut(); // what was opened meanwhile got no answer to its handshake
      expect(await connection.command('ECHO', ['x'])).toEqual(Buffer.from('x'));
    },
  );

  test('new connections that are accepted and never answered are not waited for for ever', async () => {
    connection = await reconnectWith({ connectTimeoutMs: 300 });
    proxy.blackHole();
    proxy.cut();
    await eventually(() => !connection.connected);
    await expect(connection.command('PING', [])).rejects.toThrow(NotConnectedError);
    proxy.resume();
    await eventually(() => connection.command('PING', []));
  });

  test('a call may have a deadline of its own', async () => {
    proxy.blackHole();
    const begun = Date.now();
    await expect(connection.command('PING', [], { timeoutMs: 50 })).rejects.toThrow(
      CommandTimeoutError,
    );
    expect(Date.now() - begun).toBeLessThan(450);
  });

  test('closing is bounded', async () => {
    proxy.blackHole();
    const begun = Date.now();
    await connection.close();
    expect(Date.now() - begun).toBeLessThan(4_000);
  });
});

describe('a server that is not there', () => {
  test('calls end within connectTimeoutMs, name the target and the reason, hide the password', async () => {
    const port = await freePort();
    const absent = connect({
      connection: { url: `redis://user:hunter2@127.0.0.1:${port}` },
      connectTimeoutMs: 200,
    });
    const error = await absent.command('PING', []).catch((thrown: Error) => thrown);
    expect(error).toBeInstanceOf(NotConnectedError);
    expect(error).toMatchObject({
      outcomeAmbiguous: false,
      message: `no connection to 127.0.0.1:${port} (ECONNREFUSED)`,
      cause: { code: 'ECONNREFUSED' },
    });
    expect(lines.join()).not.toContain('hunter2');
    await absent.close();
  });

  test('a signal ends the wait, and so does close', async () => {
    const absent = connect({ connection: { url: `redis://127.0.0.1:${await freePort()}` } });
    const stop = new AbortController();
    const first = absent.command('PING', [], { signal: stop.signal });
    stop.abort();
    await expect(first).rejects.toThrow(NotConnectedError);
    const second = absent.command('PING', []);
    const rejected = expect(second).rejects.toMatchObject({ code: 'CLOSED' });
    await absent.close();
    await rejected;
  });
});

async function reconnectWith(settings: Partial<ConnectionSettings>): Promise<RedisConnection> {
  await connection.close();
  const other = connect(settings);
  await other.command('PING', []);
  return other;
}
