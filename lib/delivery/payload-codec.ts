import {
  checkFunction,
  InvalidOptionError,
  PayloadError,
  UnreadablePayloadError,
} from '../errors/index.js';

/** How a payload becomes bytes and comes back. Both may throw; neither may be asynchronous. */
export interface PayloadCodec {
  /** What is stored for a payload; what it throws is told as `PayloadError`. */
  encode(value: unknown): string | Uint8Array;
  /** The payload of stored bytes; what it throws makes the message unreadable. */
  decode(bytes: Buffer): unknown;
}

/** The default codec: any JSON value. */
export const JSON_CODEC: PayloadCodec = {
  // JSON.stringify answers undefined for undefined, functions and symbols; encodePayload refuses that
  encode: (value) => JSON.stringify(value),
  decode: (bytes) => JSON.parse(bytes.toString('utf8')) as unknown,
};

const LONE_SURROGATE = /\p{Surrogate}/u;

/** Whether a text has no half of a surrogate pair, which UTF-8 cannot hold. */
export function isWellFormed(text: string): boolean {
  return !LONE_SURROGATE.test(text);
}

/** A UTF-16 unit takes at most three bytes in UTF-8, so a short text needs no counting. */
const MAX_BYTES_PER_UNIT = 3;

/** How large a payload may be, and what messages call it. */
export interface PayloadLimit {
  /** In UTF-8. */
  readonly maxBytes: number;
  /** The option that sets the limit. @default 'maxPayloadBytes' */
  readonly limit?: string;
  /** The value. @default 'payload' */
  readonly option?: string;
}

/**
 * The bytes to store. Throws `PayloadError`, before anything is written, when the codec throws
 * (circular, BigInt), answers no bytes (undefined, a function, a symbol, a promise) or half of a
 * surrogate pair, or when the result is longer than `maxBytes`.
 */
export function encodePayload(
  codec: PayloadCodec,
  value: unknown,
  { maxBytes, limit = 'maxPayloadBytes', option = 'payload' }: PayloadLimit,
): string | Buffer {
  const encoded = encode(codec, value, option);
  if (typeof encoded === 'string' && encoded.length * MAX_BYTES_PER_UNIT <= maxBytes) {
    return encoded;
  }
  const size = typeof encoded === 'string' ? Buffer.byteLength(encoded) : encoded.length;
  if (size <= maxBytes) return encoded;
  throw new PayloadError(`${option}: ${size} bytes are more than ${limit} (${maxBytes}) allows`);
}

/** The value of stored bytes; throws `UnreadablePayloadError` with the codec's error as cause. */
export function decodePayload(codec: PayloadCodec, bytes: Buffer): unknown {
  try {
    return codec.decode(bytes);
  } catch (cause) {
    throw new UnreadablePayloadError(`the body does not decode: ${reason(cause)}`, { cause });
  }
}

/** A stored payload as far as it can be read. */
export interface ReadPayload {
  /** The decoded value, or the raw text. */
  readonly payload: unknown;
  /** Why it does not decode; `null` when it does. */
  readonly unreadable: Error | null;
}

/** The decoded payload, or the raw text beside the reason why it does not decode. */
export function readPayload(codec: PayloadCodec, bytes: Buffer): ReadPayload {
  try {
    return { payload: decodePayload(codec, bytes), unreadable: null };
  } catch (error) {
    return { payload: bytes.toString(), unreadable: error as Error };
  }
}

/** @throws InvalidOptionError naming the option when it is no codec */
export function checkCodec(option: string, codec: PayloadCodec): PayloadCodec {
  if (typeof codec !== 'object' || codec === null) {
    throw new InvalidOptionError(option, 'expected an object with encode and decode');
  }
  const methods: Partial<Record<keyof PayloadCodec, unknown>> = codec;
  checkFunction(`${option}.encode`, methods.encode);
  checkFunction(`${option}.decode`, methods.decode);
  return codec;
}

function encode(codec: PayloadCodec, value: unknown, option: string): string | Buffer {
  const encoded = callCodec(codec, value, option);
  if (Buffer.isBuffer(encoded)) return encoded;
  if (typeof encoded === 'string') {
    // JSON.stringify escapes them
    if (codec === JSON_CODEC || isWellFormed(encoded)) return encoded;
    throw new PayloadError(`${option}: half of a surrogate pair is no text`);
  }
  if (encoded instanceof Uint8Array) {
    return Buffer.from(encoded.buffer, encoded.byteOffset, encoded.byteLength);
  }
  throw new PayloadError(
    `${option}: a value of type ${typeof value} cannot be stored (the codec answered ${typeof encoded})`,
  );
}

function callCodec(codec: PayloadCodec, value: unknown, option: string): unknown {
  try {
    return codec.encode(value);
  } catch (cause) {
    throw new PayloadError(`${option}: cannot be serialised: ${reason(cause)}`, { cause });
  }
}

/** The first line only: an error about a circular structure draws it over several. */
function reason(cause: unknown): string {
  const text = cause instanceof Error ? cause.message : String(cause);
  return text.split('\n', 1)[0].slice(0, 200);
}
