// A Redis server for the tests and the samples.
//
//   node scripts/redis.mjs CMD ARGS...   runs CMD with REDIS_URL set to a throw-away server
//
// REDIS_URL names a server that already runs; without it see scripts/redis/find.mjs.
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { fileURLToPath } from 'node:url';
import { startServer } from './redis/server.mjs';

export { startCluster } from './redis/cluster.mjs';
export { findRedis } from './redis/find.mjs';
export { freePort, startServer } from './redis/server.mjs';

/** The server that REDIS_URL names, or a new one that ends with this process. */
export async function startRedis(options) {
  if (!process.env.REDIS_URL || options !== undefined) return startServer(options);
  return {
    url: process.env.REDIS_URL,
    version: 'REDIS_URL',
    from: 'REDIS_URL',
    stop: async () => {},
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [command, ...args] = process.argv.slice(2);
  if (command === undefined) {
    console.error('usage: node scripts/redis.mjs COMMAND [ARGUMENT...]');
    process.exit(2);
  }
  process.exit(await runWithRedis(command, args));
}

async function runWithRedis(command, args) {
  const redis = await startRedis();
  console.error(`[redis] ${redis.version} at ${redis.url} (${redis.from})`);
  try {
    return await runCommand(command, args, redis.url);
  } finally {
    await redis.stop();
  }
}

/** In a group of its own, so that a Ctrl-C reaches it once and the whole of it. */
function runCommand(command, args, url) {
  const child = spawn(command, args, {
    stdio: 'inherit',
    detached: true,
    env: { ...process.env, REDIS_URL: url },
  });
  forwardOneSignal(child);
  return new Promise((resolve) => {
    child.once('error', (error) => {
      console.error(`[redis] ${command}: ${error.message}`);
      resolve(127);
    });
    child.once('exit', (code, signal) => resolve(code ?? 128 + constants.signals[signal]));
  });
}

/** Only the first: a terminal and npm both send one, and the command drains on the first. */
function forwardOneSignal(child) {
  let sent = false;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.on(signal, () => {
      if (!sent) process.kill(-child.pid, signal);
      sent = true;
    });
  }
}
