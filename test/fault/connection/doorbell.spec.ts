import { Redis } from 'ioredis';
import { RedisConnection, type ConnectionSettings } from '../../../lib/redis/index.js';
import { commandsDuring } from '../../support/commands.js';
import { eventually } from '../../support/eventually.js';
import { FaultyProxy } from '../../support/faulty-proxy.js';
import { startServer, type TestServer } from '../../support/redis-server.js';

const A = 't:{a}:bell';
const B = 't:{b}:bell';

// a server of its own, since these tests look at all its clients
let server: TestServer;
let proxy: FaultyProxy;
let direct: Redis;
let connection: RedisConnection;

beforeAll(async () => {
  server = await startServer();
  direct = new Redis(server.url);
});

beforeEach(async () => {
  await direct.flushall();
  proxy = await FaultyProxy.start(server.port);
  connection = connect();
  await connection.command('PING', []);
});

afterEach(async () => {
  await connection.close();
  await proxy.stop();
});

afterAll(async () => {
  direct.disconnect();
  await server.stop();
});

function connect(settings: Partial<ConnectionSettings> = {}): RedisConnection {
  return new RedisConnection({ connection: { url: proxy.url }, ...settings });
}

function wait(keys: readonly string[], timeoutMs = 5_000, signal?: AbortSignal) {
  const begun = performance.now();
  return connection.doorbell
    .wait({ keys, timeoutMs, signal })
    .then(() => performance.now() - begun);
}

async function untilBlocked(count = 1): Promise<void> {
  await eventually(async () => {
    const info = await direct.info('clients');
    return info.includes(`blocked_clients:${count}\r`);
  });
}

function blockedClientId(): Promise<number> {
  return eventually(async () => {
    const clients = (await direct.client('LIST')) as string;
    const line = clients.split('\n').find((entry) => /flags=b/.test(entry));
    return Number(/^id=(\d+)/.exec(line ?? '')?.[1] ?? 0);
  });
}

describe('waiting for a ring', () => {
  test('ends when a key rings, before or after the wait began', async () => {
    await direct.lpush(A, '1');
    expect(await wait([A])).toBeLessThan(3_000);
    const second = wait([A, B]);
    await untilBlocked();
    await direct.lpush(B, '1');
    expect(await second).toBeLessThan(3_000);
    expect(await direct.exists(A, B)).toBe(0);
  });

  test('ends after its time, and not after the block time of 0', async () => {
    expect(await wait([A], 0)).toBeLessThan(1_000);
    expect(await wait([A], NaN)).toBeLessThan(1_000);
    const elapsed = await wait([A], 60);
    expect(elapsed).toBeGreaterThanOrEqual(55);
    expect(elapsed).toBeLessThan(1_000);
  });

  test('is never longer than blockMs', async () => {
    await connection.close();
    connection = connect({ blockMs: 100 });
    expect(await wait([A], 60_000)).toBeLessThan(3_000);
  });

  test('wakes every wait for the key and no other', async () => {
    const both = [wait([A]), wait([A])];
    const other = wait([B]);
    await untilBlocked();
    await direct.lpush(A, '1');
    await Promise.all(both);
    const early = await Promise.race([other, new Promise((resolve) => setTimeout(resolve, 100))]);
    expect(early).toBeUndefined();
    await direct.lpush(B, '1');
    await other;
  });

  test('many queues share one connection, and a late one is heard at once', async () => {
    const keys = Array.from({ length: 20 }, (_, at) => `t:{${at}}:bell`);
    const waits = keys.map((key) => wait([key]));
    await untilBlocked();
    const late = wait([A]);
    await direct.lpush(A, '1');
    expect(await late).toBeLessThan(3_000);
    await untilBlocked();
    for (const key of keys) await direct.lpush(key, '1');
    await Promise.all(waits);
    expect(await direct.exists(...keys, A)).toBe(0);
  });

  test('one queue alone needs no UNBLOCK', async () => {
    const commands = await commandsDuring(server.url, async () => {
      for (let ring = 0; ring < 3; ring++) {
        const waiting = wait([A]);
        await untilBlocked();
        await direct.lpush(A, '1');
        await waiting;
      }
    });
    const names = commands.map(([name, more]) => (name === 'client' ? `client ${more}` : name));
    expect(names.filter((name) => name === 'blpop')).toHaveLength(3);
    expect(names).not.toContain('client UNBLOCK');
  });
});

describe('an aborted wait', () => {
  test('ends at once and stops taking rings, without a new connection', async () => {
    const stop = new AbortController();
    const waiting = wait([A], 5_000, stop.signal);
    await untilBlocked();
    const before = proxy.connections;
    stop.abort();
    expect(await waiting).toBeLessThan(3_000);
    await untilBlocked(0);
    await direct.lpush(A, '1');
    expect(await direct.llen(A)).toBe(1);
    expect(proxy.connections).toBe(before);
  });

  test('leaves the others waiting', async () => {
    const stop = new AbortController();
    const aborted = wait([A], 5_000, stop.signal);
    const other = wait([B]);
    await untilBlocked();
    stop.abort();
    await aborted;
    await direct.lpush(B, '1');
    expect(await other).toBeLessThan(3_000);
  });

  test('never swallows a ring: it is handed back', async () => {
    for (let round = 0; round < 30; round++) {
      const stop = new AbortController();
      const waiting = wait([A], 5_000, stop.signal);
      await untilBlocked();
      const rung = direct.lpush(A, '1'); // races with the abort
      stop.abort();
      await Promise.all([waiting, rung]);
      await untilBlocked(0);
      await connection.command('PING', []);
      await eventually(async () => (await direct.llen(A)) === 1, { withinMs: 2_000 });
      await direct.del(A);
    }
  });

  test('before it began does not begin', async () => {
    expect(await wait([A], 5_000, AbortSignal.abort())).toBeLessThan(1_000);
  });
});

describe('a doorbell link that fails', () => {
  test.each(['TIMEOUT', 'ERROR'])('CLIENT UNBLOCK %s from outside is survived', async (how) => {
    const waiting = wait([A]);
    await direct.call('CLIENT', 'UNBLOCK', await blockedClientId(), how);
    if (how === 'ERROR') await waiting;
    const next = how === 'ERROR' ? wait([A]) : waiting;
    await untilBlocked();
    await direct.lpush(A, '1');
    expect(await next).toBeLessThan(4_000);
  });

  test('a cut ends the waits, and the next ones work', async () => {
    const waiting = wait([A]);
    await untilBlocked();
    proxy.cut();
    expect(await waiting).toBeLessThan(3_000);
    const next = wait([A]);
    await untilBlocked();
    await direct.lpush(A, '1');
    expect(await next).toBeLessThan(4_000);
  });

  test('while Redis is away waits end with growing pauses, not in a hot loop', async () => {
    await connection.close();
    connection = connect({ connectTimeoutMs: 50 });
    await wait([A], 5);
    proxy.refuse();
    let rounds = 0;
    const until = Date.now() + 1_500;
    while (Date.now() < until) {
      await wait([A]);
      rounds++;
    }
    expect(rounds).toBeLessThan(30);
  });

  test('a dead socket is replaced by the watchdog, and nothing else need happen', async () => {
    await connection.close();
    const lines: string[] = [];
    const log = (line: unknown) => void lines.push(String(line));
    const logger = { log, warn: log, error: log };
    connection = connect({ blockMs: 200, connectTimeoutMs: 300, logger });
    await connection.command('PING', []);
    const first = wait([A]);
    await untilBlocked();
    proxy.blackHole();
    expect(await first).toBeLessThan(2_000);
    await eventually(() => lines.some((line) => /doorbell.*not answered in time/.test(line)));
    proxy.resume();
    await eventually(() => lines.some((line) => /doorbell: connected again/.test(line)));
    const next = wait([A]);
    await direct.lpush(A, '1');
    await next;
    await eventually(async () => (await direct.llen(A)) === 0);
  });

  test('an element of the wrong kind does not make the loop spin', async () => {
    await direct.set(A, 'text');
    let rounds = 0;
    const until = Date.now() + 1_000;
    while (Date.now() < until) {
      await wait([A]);
      rounds++;
    }
    expect(rounds).toBeLessThan(30);
  });
});

describe('closing', () => {
  test('ends the waits, and later ones end at once', async () => {
    const waiting = wait([A]);
    await untilBlocked();
    await connection.close();
    expect(await waiting).toBeLessThan(3_000);
    expect(await wait([A])).toBeLessThan(100);
    await eventually(() => proxy.connections === 0);
  });

  test('in a black hole is bounded', async () => {
    const waiting = wait([A]);
    await untilBlocked();
    proxy.blackHole();
    const begun = Date.now();
    await connection.close();
    await waiting;
    expect(Date.now() - begun).toBeLessThan(5_000);
  });
});
