// Reads lua/<engine>/*.lua and puts the text of every `-- @include` in its place.
//
// `-- @include clock` stands for lua/include/clock.lua, `-- @include jobs/settle` for
// lua/jobs/include/settle.lua. An include comes once a script, however often it is asked for.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Where the Lua sources are. */
export const LUA_DIR = fileURLToPath(new URL('../lua', import.meta.url));

const INCLUDE_LINE = /^\s*--\s*@include\s+(\S+)\s*$/;

/** Every Lua file, the includes too, as paths relative to `lua`. */
export function luaFiles(dir = LUA_DIR) {
  if (!existsSync(dir)) return [];
  return readdirSync(dir, { recursive: true })
    .map((file) => file.split(sep).join('/'))
    .filter((file) => file.endsWith('.lua'))
    .sort();
}

/** Every script with its includes resolved: `[{ name: 'jobs/claim', lua, sha1 }, ...]`. */
export function readScripts(dir = LUA_DIR) {
  return luaFiles(dir)
    .filter((file) => file.includes('/') && !file.split('/').includes('include'))
    .map((file) => {
      const lua = resolveIncludes(dir, join(dir, file));
      const sha1 = createHash('sha1').update(lua).digest('hex');
      return { name: file.slice(0, -'.lua'.length), lua, sha1 };
    });
}

function resolveIncludes(dir, file, done = new Set(), open = []) {
  if (open.includes(file)) {
    throw new Error(`include cycle: ${[...open, file].map((f) => relative(dir, f)).join(' -> ')}`);
  }
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines
    .flatMap((line) => {
      const name = INCLUDE_LINE.exec(line)?.[1];
      if (name === undefined) return [line];
      const included = includePath(dir, name, file);
      if (done.has(included) && !open.includes(included)) return [];
      done.add(included);
      return [resolveIncludes(dir, included, done, [...open, file]).trimEnd()];
    })
    .join('\n');
}

function includePath(dir, name, from) {
  const [folder, rest] = name.includes('/') ? name.split(/\/(.*)/s) : ['', name];
  const path = join(dir, folder, 'include', `${rest}.lua`);
  if (existsSync(path)) return path;
  throw new Error(`${relative(dir, from)}: no such include: ${name} (${relative(dir, path)})`);
}
