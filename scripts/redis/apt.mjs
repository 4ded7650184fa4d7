// redis-server and the libraries it lacks here, from the distribution, unpacked into the cache.
// No root needed; apt checks the signatures as usual.
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { onPath } from './search-path.mjs';

const exec = promisify(execFile);
const PACKAGES = ['redis-server', 'redis-tools'];

/** The unpacked server, fetched when it is not in the cache yet; undefined without apt. */
export async function fromApt(cache, log) {
  const root = join(cache, 'apt');
  if (!existsSync(serverIn(root).bin)) {
    if (!onPath('apt-get') || !onPath('dpkg')) return undefined;
    log('fetching redis-server from the distribution by apt-get download (no root) ...');
    await fetchInto(cache, root);
  }
  return serverIn(root);
}

function serverIn(root) {
  const libraries = ['usr/lib', 'lib']
    .map((lib) => join(root, lib))
    .filter((lib) => existsSync(lib))
    .flatMap((lib) => readdirSync(lib).map((name) => join(lib, name)))
    .filter((dir) => dir.includes('-linux-gnu'));
  return {
    bin: join(root, 'usr/bin/redis-server'),
    env: { LD_LIBRARY_PATH: libraries.join(':') },
    from: 'apt',
  };
}

/** Every process works in a folder of its own; whoever is first puts it in place, whole. */
async function fetchInto(cache, root) {
  mkdirSync(cache, { recursive: true });
  const work = mkdtempSync(join(cache, 'fetch-'));
  try {
    for (const dir of ['lists/partial', 'archives/partial', 'debs', 'root'])
      mkdirSync(join(work, dir), { recursive: true });
    await download(work);
    for (const file of readdirSync(join(work, 'debs')))
      await exec('dpkg', ['-x', join(work, 'debs', file), join(work, 'root')]);
    putInPlace(join(work, 'root'), root);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

async function download(work) {
  const shared = options({ 'Dir::Cache': work });
  try {
    await downloadBy(shared, work);
  } catch {
    // no package lists on this machine, or stale ones: private lists
    const own = [...shared, ...options({ 'Dir::State::lists': join(work, 'lists') })];
    await exec('apt-get', [...own, 'update'], { maxBuffer: 1 << 24 });
    await downloadBy(own, work);
  }
}

async function downloadBy(apt, work) {
  const { stdout } = await exec(
    'apt-get',
    [...apt, '-s', '--no-install-recommends', 'install', ...PACKAGES],
    { env: { ...process.env, LC_ALL: 'C' }, maxBuffer: 1 << 24 },
  );
  const missing = [...stdout.matchAll(/^Inst (\S+) /gm)].map((match) => match[1]);
  const names = missing.length > 0 ? missing : PACKAGES;
  await exec('apt-get', [...apt, 'download', ...names], { cwd: join(work, 'debs') });
}

function options(settings) {
  const all = {
    'Debug::NoLocking': '1',
    'APT::Sandbox::User': userInfo().username,
    ...settings,
  };
  return Object.entries(all).flatMap(([name, value]) => ['-o', `${name}=${value}`]);
}

function putInPlace(from, to) {
  try {
    renameSync(from, to);
  } catch (error) {
    if (!existsSync(serverIn(to).bin)) throw error;
  }
}
