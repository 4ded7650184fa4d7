import { UnsupportedServerError } from '../../../lib/errors/index.js';
import type { RedisClient } from '../../../lib/redis/client.js';
import { checkServer, parseInfo } from '../../../lib/redis/server-check.js';

function serverWith(info: () => string): RedisClient {
  const client: Pick<RedisClient, 'callBuffer' | 'status'> = {
    status: 'ready',
    callBuffer: () => Promise.resolve().then(() => Buffer.from(info())),
  };
  return client as RedisClient;
}

function failing(name: string): RedisClient {
  return serverWith(() => {
    throw Object.assign(new Error('NOPERM'), { name });
  });
}

describe('the check of a server', () => {
  test.each(['6.0.16', '5.0.7', '2.8'])('refuses Redis %s', async (version) => {
    const check = checkServer(
      serverWith(() => `redis_version:${version}\r\n`),
      undefined,
    );
    await expect(check).rejects.toThrow(UnsupportedServerError);
    await expect(check).rejects.toThrow(version);
  });

  test.each(['6.2.0', '7.0.15', '7.2.4', '8.0.2', '10.1.0'])('accepts %s', async (version) => {
    await checkServer(
      serverWith(() => `redis_version:${version}\r\n`),
      undefined,
    );
  });

  test('takes a refused INFO for no answer, and a broken connection for an error', async () => {
    await checkServer(failing('ReplyError'), undefined);
    await expect(checkServer(failing('Error'), undefined)).rejects.toThrow('NOPERM');
  });

  test('reads the INFO of Redis and of Valkey', () => {
    const valkey =
      'redis_version:7.2.4\r\nvalkey_version:8.0.1\r\nmaxmemory_policy:allkeys-lru\r\n';
    expect(parseInfo(valkey)).toEqual({ version: '7.2.4', policy: 'allkeys-lru' });
    expect(parseInfo('')).toEqual({});
  });
});
