import { createHash } from 'node:crypto';
import { Redis } from 'ioredis';
import { InvalidOptionError, ReservedError, OperationalError } from '../../../lib/errors/index.js';
import { integer, KeySpace, RedisConnection } from '../../../lib/redis/index.js';
import { commandsDuring } from '../../support/commands.js';
import { startServer, type TestServer } from '../../support/redis-server.js';

// a server of its own: SCRIPT FLUSH and MONITOR concern every client of a server
let server: TestServer;
let connection: RedisConnection;
let client: Redis;
const space = new KeySpace('test', 'jobs', 'scripts');

beforeAll(async () => {
  server = await startServer();
  client = new Redis(server.url);
  connection = new RedisConnection({ connection: { url: server.url }, name: 'unit' });
});

afterAll(async () => {
  await connection.close();
  client.disconnect();
  await server.stop();
});

function embedded(lua: string) {
  return { lua, sha1: createHash('sha1').update(lua).digest('hex') };
}

describe('running a script', () => {
  const echo = embedded('return {KEYS[1], KEYS[2], ARGV[1], #ARGV, false}');

  test('replies come as buffers, arguments go out as they are', async () => {
    const bytes = Buffer.from([0, 13, 10, 255]);
    const reply = await connection.evaluate(echo, space.keys, [bytes, 'é', 7]);
    expect(reply).toEqual([...space.keys.map((key) => Buffer.from(key)), bytes, 3, null]);
  });

  test('the text is sent only when the server does not know the hash', async () => {
    await client.script('FLUSH');
    const names = await commandsDuring(
      server.url,
      async () => {
        for (let run = 0; run < 3; run++) await connection.evaluate(echo, space.keys, []);
      },
      ([name]) => name.toLowerCase().startsWith('eval'),
    );
    expect(names.map(([name]) => name)).toEqual(['evalsha', 'eval', 'evalsha', 'evalsha']);
  });

  test('calls in flight survive a SCRIPT FLUSH, each done once', async () => {
    const count = embedded("return redis.call('INCR', KEYS[1] .. ':count')");
    await client.script('FLUSH');
    const runs = Array.from({ length: 50 }, () => connection.evaluate(count, space.keys, []));
    const replies = (await Promise.all(runs)) as number[];
    expect(replies.sort((a, b) => a - b)).toEqual(Array.from({ length: 50 }, (_, at) => at + 1));
    await client.del(space.key('count'));
  });

  test('an error reply becomes the class of its first word', async () => {
    const lost = embedded("return redis.error_reply('RESERVED held by another')");
    await expect(connection.evaluate(lost, space.keys, [])).rejects.toThrow(ReservedError);
    await expect(connection.evaluate(lost, space.keys, [])).rejects.toThrow(/^held by another$/);
    const raised = embedded("error(redis.error_reply('RESERVED held by another'))");
    await expect(connection.evaluate(raised, space.keys, [])).rejects.toThrow(/^held by another$/);
    const broken = embedded("return redis.call('NO_SUCH_COMMAND')");
    await expect(connection.evaluate(broken, space.keys, [])).rejects.toThrow(OperationalError);
  });

  test('a whole number of the wrong type never reaches the server', () => {
    expect(() => integer.write([], 'limit', '1' as never)).toThrow(InvalidOptionError);
  });

  test('connections carry their names', async () => {
    await connection.command('PING', []);
    expect(await client.client('LIST')).toContain('name=nest-redis-queue:unit:commands');
    expect(connection.connected).toBe(true);
  });
});
