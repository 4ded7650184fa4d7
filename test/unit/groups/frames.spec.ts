import { decodeFrame, unpack } from '../../../lib/groups/frame.js';

/** MessagePack of bytes and of whole numbers, the widths chosen by hand. */
const raw8 = (size: number) => Buffer.concat([Buffer.from([0xd9, size]), Buffer.alloc(size, 'a')]);
const raw16 = (size: number) =>
  Buffer.concat([Buffer.from([0xda, size >> 8, size & 0xff]), Buffer.alloc(size, 'b')]);
const raw32 = (size: number) => {
  const head = Buffer.from([0xdb, 0, 0, 0, 0]);
  head.writeUInt32BE(size, 1);
  return Buffer.concat([head, Buffer.alloc(size, 'c')]);
};

describe('a frame', () => {
  test.each([
    ['a short text', Buffer.from([0xa2, 0x68, 0x69]), Buffer.from('hi')],
    ['an empty text', Buffer.from([0xa0]), Buffer.alloc(0)],
    ['a text of one length byte', raw8(200), Buffer.alloc(200, 'a')],
    ['a text of two length bytes', raw16(60_000), Buffer.alloc(60_000, 'b')],
    ['a text of four length bytes', raw32(70_000), Buffer.alloc(70_000, 'c')],
    ['a small number', Buffer.from([0x07]), 7],
    ['a number of one byte', Buffer.from([0xcc, 0xff]), 255],
    ['a number of two bytes', Buffer.from([0xcd, 1, 0]), 256],
    ['a number of four bytes', Buffer.from([0xce, 0xff, 0, 0, 0]), 0xff000000],
    ['a number of eight bytes', Buffer.from([0xcf, 0, 0, 1, 0x9b, 0, 0, 0, 0]), 0x19b00000000],
  ])('is read: %s', (_, packed, value) => {
    expect(unpack(packed)).toEqual([value]);
    expect(unpack(Buffer.concat([packed, packed]))).toEqual([value, value]);
  });

  test.each([
    ['nothing', Buffer.alloc(0)],
    ['a cut text', Buffer.from([0xa5, 0x68])],
    ['a cut length', Buffer.from([0xda, 0x01])],
    ['a cut number', Buffer.from([0xcf, 0, 0])],
    ['a map', Buffer.from([0x81, 0xa1, 0x61, 0x01])],
    ['too few values', Buffer.from([0xa1, 0x61, 0x01])],
    ['a number as id', Buffer.from([0x01, 0x01, 0xa0, 0xa0])],
    ['headers that are no record', Buffer.from([0xa1, 0x61, 0x01, 0xa1, 0x37, 0xa0])],
  ])('that was not written by us is refused: %s', (_, packed) => {
    expect(() => decodeFrame(packed)).toThrow(
      expect.objectContaining({ code: 'UNREADABLE_PAYLOAD' }) as Error,
    );
  });

  test('holds id, time, headers and the payload as bytes', () => {
    const packed = Buffer.concat([
      Buffer.from([0xa1, 0x61, 0xcd, 0x10, 0x00]),
      Buffer.from([0xa9]),
      Buffer.from('{"k":"v"}'),
      Buffer.from([0xa2, 0xff, 0x00]),
    ]);
    expect(decodeFrame(packed)).toEqual({
      id: 'a',
      enqueuedAt: 4096,
      headers: { k: 'v' },
      payload: Buffer.from([0xff, 0x00]),
    });
  });
});
