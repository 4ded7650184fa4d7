import { PayloadError, UnreadablePayloadError } from '../../../lib/errors/index.js';
import {
  checkHeaders,
  decodePayload,
  encodePayload,
  JSON_CODEC,
  parseHeaders,
  type PayloadCodec,
} from '../../../lib/delivery/index.js';

const circular: Record<string, unknown> = {};
circular.self = circular;
const codecOf = (encode: (value: unknown) => unknown) =>
  ({ ...JSON_CODEC, encode }) as PayloadCodec;
const failing = (): never => {
  throw new Error('no such schema');
};

const roomy = { maxBytes: 1_000 };

describe('payloads', () => {
  test.each([null, true, 0, -1.5, '', 'é😀', [], {}, [1, { a: [null] }]])(
    '%j comes back',
    (value) => {
      const stored = encodePayload(JSON_CODEC, value, roomy);
      expect(decodePayload(JSON_CODEC, Buffer.from(stored))).toEqual(value);
    },
  );

  test.each([undefined, () => 1, Symbol('s'), 1n, { a: 1n }, circular])(
    'case %# cannot be stored',
    (value) => {
      expect(() => encodePayload(JSON_CODEC, value, roomy)).toThrow(PayloadError);
      expect(() => encodePayload(JSON_CODEC, value, { ...roomy, option: 'result' })).toThrow(
        /^result: .*$/,
      );
    },
  );

  test('the limit counts bytes of UTF-8 and names the option', () => {
    const value = 'é'.repeat(10); // 22 bytes with the quotes
    expect(encodePayload(JSON_CODEC, value, { maxBytes: 22 })).toBe(JSON.stringify(value));
    expect(() => encodePayload(JSON_CODEC, value, { maxBytes: 21 })).toThrow(
      /payload: 22 bytes are more than maxPayloadBytes \(21\)/,
    );
    const named = { maxBytes: 21, limit: 'maxMessageBytes', option: 'body' };
    expect(() => encodePayload(JSON_CODEC, value, named)).toThrow(
      /body: 22 bytes are more than maxMessageBytes \(21\)/,
    );
  });

  test('a codec of bytes is passed on without a copy of another length', () => {
    const view = new Uint8Array([9, 1, 2, 9]).subarray(1, 3);
    const stored = encodePayload(
      codecOf(() => view),
      'x',
      { maxBytes: 2 },
    );
    expect(stored).toEqual(Buffer.from([1, 2]));
    expect(() =>
      encodePayload(
        codecOf(() => view),
        'x',
        { maxBytes: 1 },
      ),
    ).toThrow(PayloadError);
  });

  test.each<[string, () => unknown]>([
    ['throws', failing],
    ['answers a promise', () => Promise.resolve('x')],
    ['answers an object', () => ({})],
    ['answers null', () => null],
  ])('a codec that %s is refused', (_, encode) => {
    expect(() => encodePayload(codecOf(encode), 'x', roomy)).toThrow(PayloadError);
  });

  test('a body that does not decode says so, with the cause', () => {
    expect(() => decodePayload(JSON_CODEC, Buffer.from('undefined'))).toThrow(
      UnreadablePayloadError,
    );
    expect(() => decodePayload({ ...JSON_CODEC, decode: failing }, Buffer.of())).toThrow(
      /no such schema/,
    );
  });
});

describe('headers', () => {
  test.each([undefined, {}, { a: '1', 'x y': '', __proto: 'p' }])('%j comes back', (headers) => {
    expect(parseHeaders(checkHeaders('headers', headers))).toEqual(headers ?? {});
  });

  test('none take no bytes', () => {
    expect(checkHeaders('headers', {})).toBe('');
  });

  test.each([null, [], 'a', new Map(), { a: 1 }, { a: undefined }])('%j is refused', (headers) => {
    expect(() => checkHeaders('headers', headers)).toThrow(/^headers/);
  });

  test.each(['{', '[]', '7', 'null', '{"a":1}'])('a stored %s is unreadable', (stored) => {
    expect(() => parseHeaders(stored)).toThrow(UnreadablePayloadError);
  });
});
