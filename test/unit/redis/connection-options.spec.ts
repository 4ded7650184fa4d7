import { inspect } from 'node:util';
import { Redis } from 'ioredis';
import { ClosedError, InvalidOptionError } from '../../../lib/errors/index.js';
import {
  CONNECTION_DEFAULTS,
  RedisConnection,
  type ConnectionOptions,
  type ConnectionSettings,
} from '../../../lib/redis/index.js';

const url = 'redis://127.0.0.1:1';
const client = new Redis({ lazyConnect: true });

afterAll(() => client.disconnect());

const WRONG_CONNECTIONS: readonly (readonly [what: string, connection: unknown])[] = [
  ['nothing', undefined],
  ['none of the five', {}],
  ['an undefined url', { url: undefined }],
  ['two of them', { url, options: { host: 'h' } }],
  ['an unknown key', { uri: url }],
  ['options without a host', { options: {} }],
  ['options with an undefined host', { options: { host: undefined } }],
  ['a cluster without nodes', { cluster: { nodes: [] } }],
  ['a cluster node without a host', { cluster: { nodes: [{ port: 1 }] } }],
  ['sentinels without a name', { sentinels: { sentinels: [{ host: 'h', port: 1 }] } }],
  ['a port from a missing setting', { options: { host: 'h', port: NaN } }],
  ['a negative port', { options: { host: 'h', port: -1 } }],
  ['a port beyond the last one', { options: { host: 'h', port: 65_536 } }],
  ['a database from a missing setting', { options: { host: 'h', db: NaN } }],
  ['a database as text', { options: { host: 'h', db: '1' } }],
  ['a cluster node with a wrong port', { cluster: { nodes: [{ host: 'h', port: 'a' }] } }],
  ['no sentinels', { sentinels: { sentinels: [], name: 'm' } }],
  ['a sentinel without a port', { sentinels: { sentinels: [{ host: 'h' }], name: 'm' } }],
  ['a client that is none', { client: {} }],
  ['a null client', { client: null }],
];

describe('connection settings', () => {
  test.each(WRONG_CONNECTIONS)('%s is refused', (_, connection) => {
    const build = () => new RedisConnection({ connection: connection as ConnectionOptions });
    expect(build).toThrow(InvalidOptionError);
    expect(build).toThrow(/^connection/);
  });

  test.each(['connectTimeoutMs', 'commandTimeoutMs', 'blockMs'] as const)(
    '%s must be a duration',
    (option) => {
      for (const value of [0, -1, 1.5, NaN, '5', null, Infinity, 2 ** 31]) {
        const settings = { connection: { url }, [option]: value } as ConnectionSettings;
        expect(() => new RedisConnection(settings)).toThrow(new RegExp(`^${option}: `));
      }
    },
  );

  test('the longest time is that of a timer', () => {
    const settings = { connection: { url }, blockMs: 2 ** 31 - 1, commandTimeoutMs: 2 ** 31 - 1 };
    expect(() => new RedisConnection(settings)).not.toThrow();
  });

  test.each([{}, { log: 1 }, { log() {}, error() {} }, 'console', 5, null])(
    'a logger like %p is refused before it is needed',
    (logger) => {
      const settings = { connection: { url }, logger } as unknown as ConnectionSettings;
      expect(() => new RedisConnection(settings)).toThrow(/^logger/);
    },
  );

  test('an unknown setting is refused by name', () => {
    const settings = { connection: { url }, timeout: 1 } as ConnectionSettings;
    expect(() => new RedisConnection(settings)).toThrow(/^settings\.timeout/);
  });

  test('the defaults are frozen and hold for undefined', () => {
    expect(Object.isFrozen(CONNECTION_DEFAULTS)).toBe(true);
    const connection = new RedisConnection({ connection: { url }, blockMs: undefined });
    expect(connection.blockMs).toBe(CONNECTION_DEFAULTS.blockMs);
  });

  test.each<ConnectionOptions>([
    { url },
    { options: { host: '127.0.0.1', port: 1 } },
    { options: { path: '/nowhere' } },
    { cluster: { nodes: [{ host: '127.0.0.1', port: 1 }] } },
    { sentinels: { sentinels: [{ host: '127.0.0.1', port: 1 }], name: 'm' } },
    { client },
  ])('nothing is opened before the first use: %#', async (options) => {
    const connection = new RedisConnection({ connection: options });
    expect(connection.connected).toBe(false);
    expect(connection.isCluster).toBe(options.cluster !== undefined);
    await connection.close();
    await connection.close();
    await expect(connection.command('PING', [])).rejects.toThrow(ClosedError);
    expect(client.status).toBe('wait');
  });

  test('inspecting a connection shows no password', () => {
    const secret = 'hunter2';
    const all = [
      new RedisConnection({ connection: { url: `redis://:${secret}@127.0.0.1:1` } }),
      new RedisConnection({ connection: { options: { host: '127.0.0.1', password: secret } } }),
    ];
    for (const connection of all) {
      const shown = inspect(connection, { depth: 20, showHidden: true });
      expect(shown + JSON.stringify(connection)).not.toContain(secret);
    }
  });
});
