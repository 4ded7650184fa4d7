// lua/**/*.lua -> lib/generated/lua-scripts.ts, so that the built library reads no file at run
// time (works in ESM, CJS, jest and bundlers alike). `--check` fails when the file is out of date.
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { readScripts } from './lua-source.mjs';

const out = fileURLToPath(new URL('../lib/generated/lua-scripts.ts', import.meta.url));
const text = moduleText(readScripts());
const upToDate = existsSync(out) && readFileSync(out, 'utf8') === text;

if (process.argv.includes('--check')) {
  if (!upToDate) {
    console.error('lib/generated/lua-scripts.ts is out of date: npm run lua:embed');
    process.exitCode = 1;
  }
} else if (!upToDate) {
  // by rename, since several processes may do this at the same time
  const draft = `${out}.${process.pid}`;
  mkdirSync(fileURLToPath(new URL('../lib/generated/', import.meta.url)), { recursive: true });
  writeFileSync(draft, text);
  renameSync(draft, out);
}

function moduleText(scripts) {
  const names = scripts.map(({ name }) => `\n  | ${JSON.stringify(name)}`).join('') || ' never';
  const entries = scripts.map(
    ({ name, sha1, lua }) =>
      `  ${JSON.stringify(name)}: {\n    sha1: ${JSON.stringify(sha1)},\n    lua: ${JSON.stringify(lua)},\n  },\n`,
  );
  return `// Made by scripts/embed-lua.mjs from lua/**/*.lua: do not edit.

/** The scripts that are embedded, \`<engine>/<file>\`. */
export type ScriptName =${names};

/** Text and SHA-1 of every script, includes resolved. */
export const LUA_SCRIPTS: {
  readonly [Name in ScriptName]: { readonly sha1: string; readonly lua: string };
} = {
${entries.join('')}};
`;
}
