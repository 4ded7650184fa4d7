// node test/e2e/child/compile.mjs <outDir> [folder]: the library and the child application (or the
// child programs of another folder) as plain ESM, so that a test can send signals to a process
// that is nothing but node and the application.
import { transformFile } from '@swc/core';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const [outDir, folder = 'test/e2e/child'] = process.argv.slice(2);

const options = {
  jsc: {
    target: 'es2022',
    parser: { syntax: 'typescript', decorators: true },
    transform: { legacyDecorator: true, decoratorMetadata: true },
  },
  module: { type: 'es6' },
};

async function sources(dir) {
  const entries = await readdir(join(root, dir), { recursive: true });
  return entries.filter((name) => name.endsWith('.ts')).map((name) => join(root, dir, name));
}

async function compile(file) {
  const out = join(outDir, relative(root, file)).replace(/\.ts$/, '.js');
  const { code } = await transformFile(file, options);
  await mkdir(dirname(out), { recursive: true });
  await writeFile(out, code);
}

await Promise.all([...(await sources('lib')), ...(await sources(folder))].map(compile));
