// npm run test:older-peers [-- jest arguments]: the tests on the oldest supported majors, Nest 11
// with ioredis 5, in a copy of the tree under .cache. By default what depends on the peers.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const copy = `${root}.cache/older-peers`;
const OLDER = {
  '@nestjs/common': '11.2.10',
  '@nestjs/core': '11.2.10',
  '@nestjs/testing': '11.2.6',
  ioredis: '5.11.1',
};
const PARTS = ['lib', 'lua', 'sample', 'scripts', 'test', 'jest.config.mjs', 'tsconfig.json'];
const DEFAULT_TESTS = [
  'test/e2e',
  'test/contract',
  'test/fault/connection',
  'test/unit/redis',
  'test/unit/delivery',
];

function run(command, args) {
  const { status } = spawnSync(command, args, { cwd: copy, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}

mkdirSync(copy, { recursive: true });
for (const part of [...PARTS, 'README.md']) {
  rmSync(`${copy}/${part}`, { recursive: true, force: true });
  cpSync(`${root}${part}`, `${copy}/${part}`, { recursive: true });
}
const manifest = JSON.parse(readFileSync(`${root}package.json`, 'utf8'));
Object.assign(manifest.devDependencies, OLDER);
writeFileSync(`${copy}/package.json`, JSON.stringify(manifest, null, 2));
process.env.REDIS_CACHE_DIR ??= `${root}.cache/redis`;

const asked = process.argv.slice(2);
run('npm', ['install', '--no-audit', '--no-fund', '--no-package-lock']);
run('npm', ['test', '--', ...(asked.length > 0 ? asked : DEFAULT_TESTS)]);
