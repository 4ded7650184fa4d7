import { codeOf, readableError } from '../../../lib/worker/readable-error.js';

describe('what was thrown, made readable', () => {
  it('is the same error when it is an ordinary one', () => {
    const error = new TypeError('plain');
    expect(readableError(error)).toBe(error);
  });

  it('keeps name and frames of an error whose message is too long', () => {
    const long = new TypeError('x'.repeat(10_000));
    const error = readableError(long);
    expect([error.name, error.message.length]).toEqual(['TypeError', 2_000]);
    expect(error.stack).toContain('readable-errors.spec');
    expect(error.stack?.length).toBeLessThan(5_000);
  });

  it('does not cut a character in two', () => {
    const { message } = readableError('👋'.repeat(3_000));
    expect(message.length).toBeLessThanOrEqual(2_000);
    expect(message.slice(-3)).toBe('👋…');
  });

  it.each([
    [undefined, 'undefined was thrown'],
    [null, 'null was thrown'],
    [42, '42 was thrown'],
    [Symbol('s'), 'Symbol(s) was thrown'],
    ['text', 'text'],
    [{ message: 'said' }, 'said'],
    [{ a: 1 }, 'an object was thrown: {"a":1}'],
  ])('says what %p was', (thrown, message) => {
    expect(readableError(thrown).message).toBe(message);
  });

  it('survives objects that refuse to be read', () => {
    const hostile = new Proxy(
      {},
      {
        get: () => {
          throw new Error('hands off');
        },
      },
    );
    const circular: Record<string, unknown> = {};
    circular.self = circular;
    for (const thrown of [hostile, circular, Object.create(null), () => undefined, 1n])
      expect(readableError(thrown).message.length).toBeGreaterThan(0);
    expect(codeOf(hostile)).toBe(undefined);
  });

  it('survives an error whose message is no text', () => {
    const odd = Object.assign(new Error('x'), { message: { not: 'text' } });
    expect(readableError(odd).message).toBe('[object Object]');
  });
});
