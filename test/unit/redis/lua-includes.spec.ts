import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { readScripts } from '../../../scripts/lua-source.mjs';

let dir: string;

beforeEach(() => void (dir = mkdtempSync(join(tmpdir(), 'rq-lua-'))));
afterEach(() => rmSync(dir, { recursive: true }));

function write(files: Readonly<Record<string, string>>): void {
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, file)), { recursive: true });
    writeFileSync(join(dir, file), text);
  }
}

describe('includes of Lua scripts', () => {
  test('take the place of their line, each once, those of includes too', () => {
    write({
      'include/clock.lua': 'local now = 1\n',
      'jobs/include/claim.lua': '-- @include clock\nlocal claim = now\n',
      'jobs/next.lua':
        'local base = KEYS[1]\n-- @include clock\n-- @include jobs/claim\nreturn claim\n',
      'jobs/admin/list.lua': 'return 1\n',
    });
    const scripts = readScripts(dir);
    expect(scripts.map(({ name }) => name)).toEqual(['jobs/admin/list', 'jobs/next']);
    expect(scripts[1].lua).toBe(
      'local base = KEYS[1]\nlocal now = 1\nlocal claim = now\nreturn claim\n',
    );
  });

  test('in a circle are refused by name', () => {
    write({
      'include/a.lua': '-- @include b\n',
      'include/b.lua': '-- @include a\n',
      'jobs/x.lua': '-- @include a\n',
    });
    expect(() => readScripts(dir)).toThrow(
      /include cycle: .*a\.lua -> include\/b\.lua -> include\/a/,
    );
  });

  test('that do not exist are refused by name', () => {
    write({ 'jobs/x.lua': '-- @include nothing\n' });
    expect(() => readScripts(dir)).toThrow(/jobs\/x\.lua: no such include: nothing/);
  });
});
