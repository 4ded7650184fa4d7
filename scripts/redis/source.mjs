// Redis compiled from source by redis-memory-server, which is fetched for this and kept in the cache.
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { onPath } from './search-path.mjs';

const exec = promisify(execFile);
const COMPILER = 'redis-memory-server@0.17.1';

/** The compiled server; undefined where there is no make or no C compiler. */
export async function fromSource(cache, log) {
  if (!onPath('make') || !(onPath('cc') ?? onPath('gcc') ?? onPath('clang'))) return undefined;
  const dir = join(cache, 'source');
  process.env.REDISMS_DOWNLOAD_DIR = join(dir, 'bin');
  await installCompiler(dir, log);
  const { default: binary } = createRequire(join(dir, 'index.js'))(
    'redis-memory-server/lib/util/RedisBinary',
  );
  return { bin: await binary.getPath({}), env: {}, from: 'source' };
}

async function installCompiler(dir, log) {
  if (existsSync(join(dir, 'node_modules/redis-memory-server'))) return;
  log('compiling Redis from source (a minute) ...');
  mkdirSync(dir, { recursive: true });
  writeFileSync(join(dir, 'package.json'), '{"private":true}\n');
  const env = { ...process.env, REDISMS_DISABLE_POSTINSTALL: '1' };
  await exec('npm', ['i', '--no-audit', '--no-fund', COMPILER], { cwd: dir, env });
}
