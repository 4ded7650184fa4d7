import { InvalidOptionError } from '../../../lib/errors/index.js';
import {
  checkName,
  checkPrefix,
  decodeName,
  encodeName,
  KeySpace,
} from '../../../lib/redis/index.js';

const STRANGE_NAMES = [
  'a:b',
  '123',
  ' ',
  '{tag}',
  '}{',
  '%7B',
  '%257B',
  '%',
  '%1',
  'constructor',
  '__proto__',
  'x'.repeat(512),
  '😀',
  'é',
  'e\u0301',
];

const REFUSED: readonly (readonly [what: string, name: unknown])[] = [
  ['empty', ''],
  ['a line end', 'x\n'],
  ['a NUL', '\0'],
  ['a C1 control', '\u0085'],
  ['513 bytes', 'x'.repeat(513)],
  ['257 two-byte characters', 'é'.repeat(257)],
  ['half of a pair', '\ud83d'],
  ['undefined', undefined],
  ['a number', 7],
  ['an object', {}],
];

describe('names', () => {
  test.each(STRANGE_NAMES)('%j is allowed and comes back', (name) => {
    expect(decodeName(encodeName(checkName('queue', name)))).toBe(name);
    expect(encodeName(name)).not.toMatch(/[{}]/);
  });

  test('no two names share a key', () => {
    const bases = STRANGE_NAMES.map((name) => new KeySpace('rq', 'jobs', name).base);
    expect(new Set(bases).size).toBe(STRANGE_NAMES.length);
  });

  test.each(REFUSED)('%s is refused by the option it came in', (_, name) => {
    expect(() => checkName('queue', name)).toThrow(InvalidOptionError);
    expect(() => checkName('queue', name)).toThrow(/^queue: /);
  });
});

describe('the key space of a queue', () => {
  test('is prefix, engine and the name as the hash tag', () => {
    const space = new KeySpace('app:', 'jobs', 'e{m}ails');
    expect(space.base).toBe('app:jobs:{e%7Bm%7Dails}');
    expect(space.keys).toEqual([space.base, `${space.base}:~`]);
    expect(space.key('ready', 'welcome')).toBe(`${space.base}:ready:welcome`);
  });

  test('a partition changes the hash tag only, to one that no name has', () => {
    const partitioned = new KeySpace('rq', 'jobs', 'emails', 1);
    expect(partitioned.base).toBe('rq:jobs:{emails%1}');
    expect(new KeySpace('rq', 'jobs', 'emails%1').base).not.toBe(partitioned.base);
  });

  test.each(['', ':', '::', 'a{b', 'a}', '\n', undefined])('prefix %j is refused', (prefix) => {
    expect(() => checkPrefix('prefix', prefix)).toThrow(InvalidOptionError);
  });

  test('colons at the end of a prefix are stripped, others kept', () => {
    expect(checkPrefix('prefix', 'a:b::')).toBe('a:b');
  });
});
