import { createHash } from 'node:crypto';
import { inspect } from 'node:util';
import { Redis } from 'ioredis';
import { NotConnectedError, OperationalError } from '../../../lib/errors/index.js';
import { RedisConnection, type ConnectionSettings } from '../../../lib/redis/index.js';
import { eventually } from '../../support/eventually.js';
import { freePort, startServer, type TestServer } from '../../support/redis-server.js';

const PASSWORD = 'a+b=c/d@e:f#g%25';
const keys = ['t:{q}', 't:{q}:~'];
const increment = embedded("return redis.call('INCR', KEYS[1])");

let server: TestServer;
let direct: Redis;
const opened: RedisConnection[] = [];

beforeAll(async () => {
  server = await startServer({ appendonly: true, args: ['--databases', '4'] });
  direct = new Redis(server.url, { retryStrategy: () => 50 });
  direct.on('error', () => undefined);
});

afterEach(() => Promise.all(opened.splice(0).map((connection) => connection.close())));

afterAll(async () => {
  direct.disconnect();
  await server.stop();
});

function connect(settings: Partial<ConnectionSettings> = {}): RedisConnection {
  const connection = new RedisConnection({ connection: { url: server.url }, ...settings });
  opened.push(connection);
  return connection;
}

function embedded(lua: string) {
  return { lua, sha1: createHash('sha1').update(lua).digest('hex') };
}

describe('a server that refuses for a while', () => {
  test('a replica is tried again until it is the master', async () => {
    const connection = connect();
    await connection.command('PING', []);
    await direct.del(keys[0]);
    await direct.replicaof('127.0.0.1', await freePort());
    const call = connection.evaluate(increment, keys, []);
    const early = await Promise.race([call, new Promise((resolve) => setTimeout(resolve, 300))]);
    expect(early).toBeUndefined();
    await direct.replicaof('NO', 'ONE');
    expect(await call).toBe(1);
  });

  test('an abort ends the tries with the same typed error', async () => {
    const connection = connect();
    await direct.replicaof('127.0.0.1', await freePort());
    try {
      const stop = new AbortController();
      const call = connection.evaluate(increment, keys, [], { signal: stop.signal });
      setTimeout(() => stop.abort(), 100);
      await expect(call).rejects.toThrow(OperationalError);
      await expect(call).rejects.toThrow(/READONLY/);
      await expect(call).rejects.toMatchObject({ retryable: true, outcomeAmbiguous: false });
    } finally {
      await direct.replicaof('NO', 'ONE');
    }
  });

  test('a busy script is waited for', async () => {
    const connection = connect();
    await connection.command('PING', []);
    await direct.config('SET', 'busy-reply-threshold', '20');
    const blocker = new Redis(server.url);
    const busy = blocker.eval('while true do end', 0).catch((error: Error) => error.message);
    await eventually(async () => {
      const answer = await direct.ping().catch((error: Error) => error.message);
      return answer.startsWith('BUSY');
    });
    const call = connection.command('SET', [keys[0], '1']);
    await direct.script('KILL');
    expect(await call).toEqual(Buffer.from('OK'));
    expect(await busy).toMatch(/killed/);
    blocker.disconnect();
  });

  test('a full server answers at once', async () => {
    const connection = connect();
    await direct.config('SET', 'maxmemory', '1');
    try {
      const call = connection.evaluate(increment, keys, []);
      await expect(call).rejects.toMatchObject({ retryable: true, outcomeAmbiguous: false });
      await expect(call).rejects.toThrow(/OOM/);
    } finally {
      await direct.config('SET', 'maxmemory', '0');
    }
  });
});

describe('a server that restarts on its port', () => {
  test('calls go on by themselves and scripts are sent anew', async () => {
    const connection = connect({ connectTimeoutMs: 20_000 });
    await direct.del(keys[0]);
    expect(await connection.evaluate(increment, keys, [])).toBe(1);
    await server.kill();
    const call = connection.evaluate(increment, keys, [], { idempotent: true });
    server = await server.restart();
    expect(await call).toBe(2);
  });
});

describe('the check at the first connection', () => {
  test('a policy that evicts is warned of, once', async () => {
    await direct.config('SET', 'maxmemory-policy', 'allkeys-lru');
    const lines: string[] = [];
    const log = (line: unknown) => void lines.push(String(line));
    const connection = connect({ logger: { log, warn: log, error: log } });
    await Promise.all([connection.command('PING', []), connection.command('PING', [])]);
    await direct.config('SET', 'maxmemory-policy', 'noeviction');
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(/maxmemory-policy allkeys-lru.*noeviction/);
  });

  test('a refused INFO is no error', async () => {
    await direct.call('ACL', 'SETUSER', 'plain', 'on', '>secret', '~*', '+@all', '-info');
    const url = `redis://plain:secret@127.0.0.1:${server.port}`;
    const connection = connect({ connection: { url } });
    expect(await connection.command('PING', [])).toEqual(Buffer.from('PONG'));
  });
});

describe('passwords and databases', () => {
  test('the exact password reaches the server', async () => {
    await direct.call('ACL', 'SETUSER', 'odd', 'on', `>${PASSWORD}`, '~*', '+@all');
    const url = `redis://odd:${encodeURIComponent(PASSWORD)}@127.0.0.1:${server.port}/2`;
    const connection = connect({ connection: { url } });
    expect(await connection.command('ACL', ['WHOAMI'])).toEqual(Buffer.from('odd'));
    await connection.command('SET', ['where', 'two']);
    await direct.select(2);
    expect(await direct.get('where')).toBe('two');
    await direct.select(0);
  });

  test('a wrong password is an error that does not show it', async () => {
    const url = `redis://:hunter2@127.0.0.1:${server.port}`;
    await direct.call('ACL', 'SETUSER', 'default', 'resetpass', '>right');
    try {
      const connection = connect({ connection: { url }, connectTimeoutMs: 300 });
      const error = await connection.command('PING', []).catch((thrown: Error) => thrown);
      expect(error).toBeInstanceOf(NotConnectedError);
      expect((error as Error).message).toContain('WRONGPASS');
      expect(inspect(error, { depth: 20, showHidden: true })).not.toContain('hunter2');
    } finally {
      await direct.call('ACL', 'SETUSER', 'default', 'nopass');
    }
  });

  test('a database that does not exist is refused, not replaced by the first', async () => {
    const url = `redis://127.0.0.1:${server.port}/9`;
    const connection = connect({ connection: { url }, connectTimeoutMs: 300 });
    await expect(connection.command('PING', [])).rejects.toThrow(/DB index is out of range/);
  });
});
