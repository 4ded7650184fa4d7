import { readdirSync } from 'node:fs';
import { Redis } from 'ioredis';
import { LUA_SCRIPTS } from '../../lib/generated/lua-scripts.js';
import { definedScripts } from '../../lib/redis/index.js';
import { REDIS_URL } from '../support/test-prefix.js';

const DEFINITION_FILES = readdirSync('lib', { recursive: true, encoding: 'utf8' }).filter((file) =>
  file.endsWith('.scripts.ts'),
);

beforeAll(async () => {
  for (const file of DEFINITION_FILES) await import(`../../lib/${file.replace(/\.ts$/, '.js')}`);
});

/** The names that a script gives to KEYS or ARGV, by position: `local a, b = ARGV[1], ARGV[2]`. */
function destructured(lua: string, table: 'KEYS' | 'ARGV'): string[] {
  const names: string[] = [];
  for (const [, left, right] of lua.matchAll(/^local ([\w, ]+) = ([^\n]*)$/gm)) {
    const locals = left.split(',').map((name) => name.trim());
    const values = right.split(/,(?![^(]*\))/).map((value) => value.trim());
    values.forEach((value, at) => {
      const index = new RegExp(`^(?:tonumber\\()?${table}\\[(\\d+)\\]\\)?(?: == '1')?$`).exec(
        value,
      )?.[1];
      if (index !== undefined) names[Number(index) - 1] ??= locals[at];
    });
  }
  return names;
}

function camelCase(name: string): string {
  return name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}

describe('scripts and their definitions', () => {
  test('every embedded script is defined once, and nothing else is', () => {
    const names = definedScripts().map(({ name }) => name);
    expect([...names].sort()).toEqual(Object.keys(LUA_SCRIPTS).sort());
  });

  test.each(Object.entries(LUA_SCRIPTS))('%s names its keys as every script does', (_, { lua }) => {
    expect(['base', 'base,guard']).toContain(destructured(lua, 'KEYS').join());
  });

  test.each(Object.entries(LUA_SCRIPTS))(
    '%s names its arguments as the definition',
    (name, { lua }) => {
      const script = definedScripts().find((candidate) => candidate.name === name);
      const wanted = (script?.argumentNames ?? []).slice(0, script?.endsInList ? -1 : undefined);
      expect(destructured(lua, 'ARGV').map(camelCase)).toEqual(wanted);
    },
  );

  test('every script loads, under the hash that is embedded', async () => {
    const client = new Redis(REDIS_URL);
    try {
      for (const { lua, sha1 } of Object.values(LUA_SCRIPTS)) {
        expect(await client.script('LOAD', lua)).toBe(sha1);
      }
    } finally {
      client.disconnect();
    }
  });
});
