// Lua 5.1 syntax and stray globals by luaparse; luacheck too where it is installed.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import luaparse from 'luaparse';
import { LUA_DIR, luaFiles, readScripts } from './lua-source.mjs';

const KNOWN_GLOBALS = new Set(
  (
    'redis cjson cmsgpack bit struct KEYS ARGV tonumber tostring type pairs ipairs next unpack ' +
    'table string math error assert pcall select'
  ).split(' '),
);

const problems = [...syntaxProblems(), ...globalProblems(), ...luacheckProblems()];
for (const problem of problems) console.error(problem);
process.exitCode = problems.length > 0 ? 1 : 0;

/** Files one by one, since an include must be a chunk that parses by itself. */
function syntaxProblems() {
  return luaFiles().flatMap((file) => {
    const { error } = parse(readFileSync(join(LUA_DIR, file), 'utf8'));
    return error ? [`lua/${file}: ${error}`] : [];
  });
}

/** Resolved scripts, since a script uses the local functions of its includes. */
function globalProblems() {
  return scriptsOrProblem(({ name, lua }) => {
    const strangers = (parse(lua).ast?.globals ?? []).filter((g) => !KNOWN_GLOBALS.has(g.name));
    return strangers.map((g) => `lua/${name}.lua: global ${g.name} (resolved line ${line(g)})`);
  });
}

function luacheckProblems() {
  if (spawnSync('luacheck', ['--version']).status !== 0) return [];
  return scriptsOrProblem(({ name, lua }) => {
    // an include brings functions that this script may not call
    const args = ['--no-color', '--no-unused', '--codes', '-q', '--filename', `${name}.lua`, '-'];
    const { status, stdout } = spawnSync('luacheck', args, { input: lua, encoding: 'utf8' });
    return status === 0 ? [] : [stdout.trim()];
  });
}

function scriptsOrProblem(check) {
  try {
    return readScripts().flatMap(check);
  } catch (error) {
    return [error.message];
  }
}

function parse(lua) {
  try {
    return { ast: luaparse.parse(lua, { luaVersion: '5.1', scope: true, locations: true }) };
  } catch (error) {
    return { error: error.message };
  }
}

function line(node) {
  return node.loc.start.line;
}
