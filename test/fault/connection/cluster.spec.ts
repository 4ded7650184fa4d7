import { createHash } from 'node:crypto';
import { Cluster } from 'ioredis';
import { KeySpace, RedisConnection, type ConnectionOptions } from '../../../lib/redis/index.js';
import { eventually } from '../../support/eventually.js';
import { startCluster, type TestCluster } from '../../support/redis-server.js';

let cluster: TestCluster;
let client: Cluster;

beforeAll(async () => {
  cluster = await startCluster();
  client = new Cluster([...cluster.nodes], { keyPrefix: 'app:' });
});

afterAll(async () => {
  client.disconnect();
  await cluster.stop();
});

const WAYS: readonly (readonly [string, () => ConnectionOptions])[] = [
  ['nodes', () => ({ cluster: { nodes: cluster.nodes } })],
  ['a client of the application', () => ({ client })],
];

describe.each(WAYS)('a cluster by %s', (_, options) => {
  let connection: RedisConnection;
  beforeEach(() => (connection = new RedisConnection({ connection: options() })));
  afterEach(() => connection.close());

  test('scripts run on the node of their queue', async () => {
    expect(connection.isCluster).toBe(true);
    const lua =
      "redis.call('SET', KEYS[1] .. ':made', ARGV[1]) return redis.call('GET', KEYS[1] .. ':made')";
    const sha1 = createHash('sha1').update(lua).digest('hex');
    for (let queue = 0; queue < 20; queue++) {
      const { keys } = new KeySpace('t', 'jobs', `q${queue}`);
      expect(await connection.evaluate({ lua, sha1 }, keys, [queue])).toEqual(
        Buffer.from(String(queue)),
      );
    }
    expect(connection.connected).toBe(true);
  });

  test('each queue waits on a connection of its own and hears its ring', async () => {
    const keys = Array.from({ length: 6 }, (_, queue) => `t:{q${queue}}:bell`);
    const waits = keys.map((key) => connection.doorbell.wait({ keys: [key], timeoutMs: 5_000 }));
    const begun = Date.now();
    for (const key of keys) await connection.command('lpush', [key, '1']);
    await Promise.all(waits);
    expect(Date.now() - begun).toBeLessThan(4_000);
  });

  test('an aborted wait stops taking rings', async () => {
    const key = 't:{stopped}:bell';
    const stop = new AbortController();
    await connection.command('PING', []);
    const waiting = connection.doorbell.wait({
      keys: [key],
      timeoutMs: 5_000,
      signal: stop.signal,
    });
    await eventually(async () => (await blockedClients()) === 1);
    stop.abort();
    await waiting;
    await eventually(async () => (await blockedClients()) === 0, { withinMs: 3_000 });
    await connection.command('lpush', [key, '1']);
    expect(await connection.command('llen', [key])).toBe(1);
    await connection.command('del', [key]);
  });
});

async function blockedClients(): Promise<number> {
  const infos = await Promise.all(client.nodes('master').map((node) => node.info('clients')));
  return infos
    .map((info) => Number(/blocked_clients:(\d+)/.exec(info)?.[1]))
    .reduce((sum, count) => sum + count, 0);
}
