import { MessageError } from '../errors/index.js';
import { encodePayload, readPayload, type PayloadCodec } from '../redis/index.js';

/** How bodies are stored. */
export interface BodyTerms {
  /** `null`: bodies are the given texts. */
  readonly codec: PayloadCodec | null;
  readonly maxMessageBytes: number;
}

const LONE_SURROGATE = /\p{Surrogate}/u;
/** A UTF-16 unit takes at most three bytes in UTF-8, so a short text needs no counting. */
const MAX_BYTES_PER_UNIT = 3;

/**
 * The bytes to store: without a codec a text, as it is.
 *
 * @throws MessageError when it is no text, not well-formed, or longer than `maxMessageBytes`; with
 * a codec when that cannot encode it
 */
export function encodeBody(body: unknown, { codec, maxMessageBytes }: BodyTerms): string | Buffer {
  if (codec !== null) return encodeByCodec(body, codec, maxMessageBytes);
  if (typeof body !== 'string') throw new MessageError(`the body is no text but ${typeOf(body)}`);
  if (LONE_SURROGATE.test(body)) {
    throw new MessageError('the body is not well-formed text (half of a surrogate pair)');
  }
  if (body.length * MAX_BYTES_PER_UNIT <= maxMessageBytes) return body;
  const size = Buffer.byteLength(body);
  if (size <= maxMessageBytes) return body;
  throw new MessageError(`the body takes ${size} bytes; maxMessageBytes allows ${maxMessageBytes}`);
}

/** A stored body as far as it can be read: the raw text beside the reason where it does not decode. */
export function decodeBody(
  bytes: Buffer,
  { codec }: BodyTerms,
): { readonly body: unknown; readonly unreadable: Error | null } {
  if (codec === null) return { body: bytes.toString('utf8'), unreadable: null };
  const { payload, unreadable } = readPayload(codec, bytes);
  return { body: payload, unreadable };
}

function encodeByCodec(body: unknown, codec: PayloadCodec, maxBytes: number): string | Buffer {
  try {
    return encodePayload(codec, body, maxBytes, 'body');
  } catch (cause) {
    throw new MessageError((cause as Error).message, { cause });
  }
}

function typeOf(value: unknown): string {
  return value === null ? 'null' : `a value of type ${typeof value}`;
}
