import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { findRedis } from '../../scripts/redis.mjs';
import { eventually } from '../support/eventually.js';
import { freePort, startServer, type TestServer } from '../support/redis-server.js';

const DOWN_AFTER_MS = 1_000;

/** A master, a replica and three sentinels that agree by two votes. */
export interface SentinelSet {
  readonly name: string;
  readonly sentinels: readonly { readonly host: string; readonly port: number }[];
  readonly master: TestServer;
  readonly replica: TestServer;
  stop(): Promise<void>;
}

/** Resolves once the replica follows and the sentinels know each other. */
export async function startSentinels(): Promise<SentinelSet> {
  const name = 'queues';
  const master = await startServer();
  const replica = await startServer({ args: ['--replicaof', '127.0.0.1', String(master.port)] });
  const watchers = await Promise.all(
    Array.from({ length: 3 }, () => startSentinel(name, master.port)),
  );
  for (const { port } of watchers)
    await eventually(() => isReady(port, name), { withinMs: 30_000 });
  const sentinels = watchers.map(({ port }) => ({ host: '127.0.0.1', port }));
  const stop = async () => {
    await Promise.all([...watchers, replica, master].map((one) => one.stop()));
  };
  return { name, sentinels, master, replica, stop };
}

/** The shell around it ends it when our end of the pipe closes, however this process ends. */
async function startSentinel(name: string, masterPort: number) {
  const { bin, env } = await findRedis();
  const port = await freePort();
  const dir = await mkdtemp(join(tmpdir(), 'rq-sentinel-'));
  const config = join(dir, 'sentinel.conf');
  await writeFile(config, configOf(name, { port, masterPort, dir }));
  const script = '"$0" "$1" --sentinel >/dev/null & read _; kill -9 $!';
  const shell = spawn('sh', ['-c', script, bin, config], {
    env: { ...process.env, ...env },
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  const gone = new Promise((resolve) => shell.once('exit', resolve));
  const stop = async () => {
    shell.stdin.end();
    await gone;
    await rm(dir, { recursive: true, force: true });
  };
  return { port, stop };
}

function configOf(name: string, at: { port: number; masterPort: number; dir: string }): string {
  return [
    `port ${at.port}`,
    'bind 127.0.0.1',
    `dir ${at.dir}`,
    `sentinel monitor ${name} 127.0.0.1 ${at.masterPort} 2`,
    `sentinel down-after-milliseconds ${name} ${DOWN_AFTER_MS}`,
    `sentinel failover-timeout ${name} 5000`,
    '',
  ].join('\n');
}

async function isReady(port: number, name: string): Promise<boolean> {
  const client = new Redis(port, '127.0.0.1', { retryStrategy: () => null });
  client.on('error', () => undefined);
  try {
    const [master] = (await client.call('SENTINEL', 'MASTERS')) as string[][];
    const fieldOf = (field: string) => master[master.indexOf(field) + 1];
    const replicas = (await client.call('SENTINEL', 'REPLICAS', name)) as string[][];
    const follows = replicas.some((one) => one[one.indexOf('master-link-status') + 1] === 'ok');
    return follows && fieldOf('num-other-sentinels') === '2';
  } finally {
    client.disconnect();
  }
}
