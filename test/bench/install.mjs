// Peers live in the cache, at fixed versions, and are no dependency of the library.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('../../.cache/bench/', import.meta.url));
const VERSIONS = { bullmq: '6.7.0', 'bee-queue': '2.0.0' };

export function install() {
  const wanted = Object.keys(VERSIONS).filter(
    (name) => !existsSync(`${folder}node_modules/${name}`),
  );
  if (wanted.length === 0) return;
  mkdirSync(folder, { recursive: true });
  writeFileSync(`${folder}package.json`, '{ "private": true }\n');
  const packages = Object.entries(VERSIONS).map(([name, version]) => `${name}@${version}`);
  execFileSync('npm', ['install', '--no-audit', '--no-fund', '--no-save', ...packages], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}

export function peer(name) {
  return createRequire(`${folder}package.json`)(name);
}
