// npm run build: Lua embedded, ESM and CJS builds side by side, Lua files copied for reference.
import { spawn } from 'node:child_process';
import { cpSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';

await import('./embed-lua.mjs');
rmSync('dist', { recursive: true, force: true });
await Promise.all([compile('tsconfig.build.json'), compile('tsconfig.build.cjs.json')]);
writeFileSync('dist/cjs/package.json', '{ "type": "commonjs" }\n');
writeFileSync('dist/esm/package.json', '{ "type": "module" }\n');
cpSync('lua', 'dist/lua', { recursive: true });

function compile(project) {
  const tsc = createRequire(import.meta.url).resolve('typescript/bin/tsc');
  return new Promise((resolve, reject) => {
    spawn(process.execPath, [tsc, '-p', project], { stdio: 'inherit' }).on('exit', (code) =>
      code === 0 ? resolve() : reject(new Error(`tsc -p ${project}: exit ${code}`)),
    );
  });
}
