import { UnreadablePayloadError } from '../errors/index.js';
import { parseHeaders, type Headers } from '../delivery/index.js';

/** A list entry taken apart; the payload is still bytes. */
export interface Frame {
  readonly id: string;
  readonly enqueuedAt: number;
  readonly headers: Headers;
  readonly payload: Buffer;
}

/** The values of a MessagePack text, as far as scripts write them: bytes and whole numbers. */
export function unpack(packed: Buffer): (Buffer | number)[] {
  const values: (Buffer | number)[] = [];
  for (let at = 0; at < packed.length;) {
    const { value, end } = unpackOne(packed, at);
    values.push(value);
    at = end;
  }
  return values;
}

/** Takes a list entry apart; throws `UnreadablePayloadError` when it was not written by us. */
export function decodeFrame(packed: Buffer): Frame {
  const [id, enqueuedAt, headers, payload] = unpack(packed);
  if (!Buffer.isBuffer(id) || typeof enqueuedAt !== 'number') throw damaged();
  if (!Buffer.isBuffer(headers) || !Buffer.isBuffer(payload)) throw damaged();
  return {
    id: id.toString(),
    enqueuedAt,
    headers: parseHeaders(headers.toString()),
    payload,
  };
}

interface Unpacked {
  readonly value: Buffer | number;
  readonly end: number;
}

function unpackOne(packed: Buffer, at: number): Unpacked {
  const mark = packed[at];
  if (mark < 0x80) return { value: mark, end: at + 1 };
  if (mark >= 0xa0 && mark < 0xc0) return slice(packed, at + 1, mark - 0xa0);
  if (mark >= 0xcc && mark <= 0xcf) return readInteger(packed, at + 1, 2 ** (mark - 0xcc));
  if (mark < 0xd9 || mark > 0xdb) throw damaged();
  const width = 2 ** (mark - 0xd9);
  return slice(packed, at + 1 + width, Number(readInteger(packed, at + 1, width).value));
}

function readInteger(packed: Buffer, at: number, width: number): Unpacked {
  const end = at + width;
  if (end > packed.length) throw damaged();
  if (width < 8) return { value: packed.readUIntBE(at, width), end };
  return { value: Number(packed.readBigUInt64BE(at)), end };
}

function slice(packed: Buffer, from: number, length: number): Unpacked {
  const end = from + length;
  if (end > packed.length) throw damaged();
  return { value: packed.subarray(from, end), end };
}

function damaged(): UnreadablePayloadError {
  return new UnreadablePayloadError('the entry is damaged: it is no message of this library');
}
