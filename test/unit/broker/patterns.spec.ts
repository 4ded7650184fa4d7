import { fnmatch } from '../../../lib/broker/fnmatch.js';

const CASES: readonly (readonly [
  pattern: string,
  yes: readonly string[],
  no: readonly string[],
])[] = [
  ['', [''], ['a']],
  ['*', ['', 'a', '.a', 'a.b'], []],
  ['jobs-*', ['jobs-', 'jobs-1', 'jobs-a.b'], ['jobs', 'Jobs-1', 'xjobs-1']],
  ['*.log', ['.log', 'a.log', 'a.b.log'], ['alog', 'a.log2']],
  ['a?c', ['abc', 'a.c'], ['ac', 'abbc', 'aBCc']],
  ['[abc]x', ['ax', 'cx'], ['dx', 'x', 'Ax']],
  ['[a-c0-2]', ['a', 'b', '1'], ['d', '-', '3']],
  ['[!a-c]', ['d', '-', '!'], ['a', 'b', '']],
  ['[a-]', ['a', '-'], ['b']],
  ['[-a]', ['a', '-'], ['b']],
  ['[]a]', [']', 'a'], ['b', '']],
  ['[!]a]', ['b', '['], [']', 'a']],
  ['[c-a]', [], ['a', 'b', 'c', '-']],
  ['[!c-a]', ['b', 'z'], ['']],
  ['[', ['['], ['a', '']],
  ['[!', ['[!'], ['a']],
  ['a[b', ['a[b'], ['ab']],
  ['[a]]', ['a]'], ['a', ']']],
  ['a\\*', ['a\\', 'a\\b'], ['a*']],
  ['a+b(c)', ['a+b(c)'], ['aab(c)']],
  ['*a*b*', ['ab', 'xaybz', 'aab'], ['ba', 'a', 'b']],
  ['**', ['', 'abc'], []],
  ['^a$', ['^a$'], ['a']],
];

describe('a pattern of names', () => {
  test.each(CASES)('%j', (pattern, yes, no) => {
    const matches = fnmatch(pattern);
    expect(yes.filter((name) => !matches(name))).toEqual([]);
    expect(no.filter(matches)).toEqual([]);
  });

  test('made of many stars is decided in no time', () => {
    const begun = performance.now();
    expect(fnmatch(`${'*a'.repeat(30)}*b`)('a'.repeat(512))).toBe(false);
    expect(performance.now() - begun).toBeLessThan(1_000);
  });
});
