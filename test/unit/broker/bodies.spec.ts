import { encodeBody, TEXT_CODEC } from '../../../lib/broker/body.js';
import { MessageError } from '../../../lib/errors/index.js';
import { JSON_CODEC } from '../../../lib/delivery/index.js';

describe('a body', () => {
  test.each([
    ['a text', TEXT_CODEC],
    ['made by a codec', JSON_CODEC],
  ])('%s that is too large is told of the option that the broker has', (_, codec) => {
    const encode = () => encodeBody('x'.repeat(20), { codec, maxMessageBytes: 10 });
    expect(encode).toThrow(MessageError);
    expect(encode).toThrow(/^body: 2\d bytes are more than maxMessageBytes \(10\) allows$/);
  });

  test('is kept as it is', () => {
    const terms = { codec: TEXT_CODEC, maxMessageBytes: 10 };
    expect(encodeBody('žluť', terms)).toBe('žluť');
    expect(encodeBody('', terms)).toBe('');
  });
});
