// Finds or fetches a real Redis (or Valkey) server. Order: REDIS_BIN > PATH > cache > apt-get
// download without root (Debian, Ubuntu) > compiled from source (make and a C compiler).
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { fromApt } from './apt.mjs';
import { onPath } from './search-path.mjs';
import { fromSource } from './source.mjs';

const exec = promisify(execFile);
const CACHE =
  process.env.REDIS_CACHE_DIR ?? fileURLToPath(new URL('../../.cache/redis', import.meta.url));

const WAYS = {
  path: () => {
    const bin = process.env.REDIS_BIN ?? onPath('redis-server') ?? onPath('valkey-server');
    return bin && { bin, env: {}, from: 'path' };
  },
  apt: (log) => fromApt(CACHE, log),
  source: (log) => fromSource(CACHE, log),
};

/**
 * A server program that runs here: `{ bin, env, from, version }`.
 * REDIS_FROM=path|apt|source tries one way only.
 */
export async function findRedis(log = (line) => console.error(`[redis] ${line}`)) {
  const problems = [];
  for (const [name, way] of Object.entries(WAYS)) {
    if (process.env.REDIS_FROM && process.env.REDIS_FROM !== name) continue;
    try {
      const found = await way(log);
      if (found) return { ...found, version: await versionOf(found) };
    } catch (error) {
      problems.push(`${name}: ${String(error.message).split('\n')[0]}`);
    }
  }
  throw new Error(
    `No Redis server could be found or fetched (${problems.join('; ') || 'nothing to try'}). ` +
      'Install one (apt-get install redis-server, brew install redis), or set REDIS_BIN or REDIS_URL.',
  );
}

async function versionOf({ bin, env }) {
  const { stdout } = await exec(bin, ['--version'], { env: { ...process.env, ...env } });
  return stdout.trim();
}
