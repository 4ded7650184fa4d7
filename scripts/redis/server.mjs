// Starts a throw-away server on a port of 127.0.0.1 that ends with this process, however it ends.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findRedis } from './find.mjs';

/** Above it the bus port of a cluster node (port + 10,000) would not exist. */
const HIGHEST_PORT = 55_000;

/**
 * Starts a server of its own (REDIS_URL is not looked at).
 *
 * `port`, `dir`: default a free one, a new temporary one; `keepDir` leaves the folder in place.
 * `appendonly`: write the append-only file at once. `args`: more options of redis-server.
 * Answer: `{ url, port, dir, version, from, pid, stop(), kill(), restart() }`; `restart` starts
 * the same server again, same port and folder, after `stop({ keepDir: true })` or `kill()`.
 */
export async function startServer(options = {}) {
  const program = await findRedis();
  const port = options.port ?? (await freePort());
  const dir = options.dir ?? mkdtempSync(join(tmpdir(), 'rq-redis-'));
  return run({ ...options, program, port, dir });
}

/** A port that is free now and low enough for a cluster node. */
export async function freePort() {
  for (;;) {
    const port = await new Promise((resolve, reject) => {
      const probe = net.createServer().on('error', reject);
      probe.listen(0, '127.0.0.1', () => {
        const { port } = probe.address();
        probe.close(() => resolve(port));
      });
    });
    if (port <= HIGHEST_PORT) return port;
  }
}

async function run(settings) {
  const { program, port, dir } = settings;
  const child = spawn(program.bin, serverArguments(settings), {
    env: { ...process.env, ...program.env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const gone = new Promise((resolve) => child.once('exit', resolve));
  const guard = spawnGuard(child.pid, settings);
  await untilReady(child);
  child.stdout.resume().unref?.();
  child.unref();

  const end = async (signal, { keepDir = settings.keepDir ?? false } = {}) => {
    if (child.exitCode === null && child.signalCode === null) child.kill(signal);
    const timer = setTimeout(() => child.kill('SIGKILL'), 3_000);
    await gone;
    clearTimeout(timer);
    guard.kill('SIGKILL');
    if (!keepDir) rmSync(dir, { recursive: true, force: true });
  };
  return {
    url: `redis://127.0.0.1:${port}`,
    port,
    dir,
    version: program.version,
    from: program.from,
    pid: child.pid,
    stop: (options) => end('SIGTERM', options),
    kill: () => end('SIGKILL', { keepDir: true }),
    restart: () => run(settings),
  };
}

function serverArguments({ port, dir, appendonly = false, args = [] }) {
  const durability = appendonly
    ? ['--appendonly', 'yes', '--appendfsync', 'always']
    : ['--appendonly', 'no'];
  const base = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--dir', dir];
  return [...base, ...durability, ...args];
}

/** A shell that waits for the end of our pipe, which comes even when we are killed. */
function spawnGuard(pid, { dir, keepDir = false }) {
  const clean = keepDir ? '' : 'rm -rf "$0"';
  const guard = spawn('sh', ['-c', `read _; kill -9 ${pid}; ${clean}`, dir], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  guard.unref();
  guard.stdin.unref?.();
  return guard;
}

function untilReady(child) {
  return new Promise((resolve, reject) => {
    let output = '';
    child.stdout.on('data', (data) => {
      output += data;
      if (/eady to accept connections/.test(output)) resolve();
    });
    child.once('error', reject);
    child.once('exit', (code) =>
      reject(new Error(`redis-server ended with ${code}: ${output.slice(-500)}`)),
    );
  });
}
