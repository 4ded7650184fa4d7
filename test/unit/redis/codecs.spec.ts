import { InvalidOptionError, OperationalError } from '../../../lib/errors/index.js';
import {
  asBuffer,
  asInteger,
  asList,
  asText,
  asTextOrNull,
  bytes,
  flag,
  integer,
  list,
  text,
  type Codec,
  type ScriptArgument,
} from '../../../lib/redis/index.js';

function write<T>(codec: Codec<T>, value: unknown): ScriptArgument[] {
  const argv: ScriptArgument[] = [];
  codec.write(argv, 'leaseMs', value as T);
  return argv;
}

describe('codecs of script arguments', () => {
  test.each<[string, Codec<never>, unknown, ScriptArgument[]]>([
    ['integer', integer, -5, [-5]],
    ['text', text, '', ['']],
    ['flag on', flag, true, ['1']],
    ['flag off', flag, false, ['0']],
    ['bytes as text', bytes, 'é', ['é']],
    ['bytes', bytes, Buffer.from([0, 255]), [Buffer.from([0, 255])]],
    ['list', list(integer), [1, 2, 3], [1, 2, 3]],
    ['empty list', list(text), [], []],
  ])('%s', (_, codec, value, argv) => {
    expect(write(codec, value)).toEqual(argv);
  });

  test.each<[string, Codec<never>, readonly unknown[]]>([
    ['integer', integer, [1.5, NaN, Infinity, 2 ** 53, '1', 1n, null, undefined]],
    ['text', text, [1, null, undefined, {}, Buffer.from('a')]],
    ['flag', flag, [1, 'true', null, undefined]],
    ['bytes', bytes, [1, null, undefined, [1], new Uint16Array(1)]],
    ['list', list(integer), [1, 'abc', null, { length: 1 }, ['1'], [undefined]]],
  ])('%s refuses a wrong type by the name of the argument', (_, codec, values) => {
    for (const value of values) {
      expect(() => write(codec, value)).toThrow(InvalidOptionError);
      expect(() => write(codec, value)).toThrow(/^leaseMs: /);
    }
  });
});

describe('readers of replies', () => {
  const buffer = Buffer.from('42');

  test('read what a script answers', () => {
    expect(asText(buffer)).toBe('42');
    expect(asText('x')).toBe('x');
    expect(asTextOrNull(null)).toBeNull();
    expect(asTextOrNull(buffer)).toBe('42');
    expect(asInteger(7)).toBe(7);
    expect(asInteger(buffer)).toBe(42);
    expect(asBuffer(buffer)).toBe(buffer);
    expect(asList([1])).toEqual([1]);
  });

  test('a reply of another shape is an error, never undefined', () => {
    const wrong: (() => unknown)[] = [
      () => asText(null),
      () => asText(1),
      () => asInteger(null),
      () => asInteger(Buffer.from('x')),
      () => asBuffer('x'),
      () => asList(null),
    ];
    for (const read of wrong) expect(read).toThrow(OperationalError);
  });
});
