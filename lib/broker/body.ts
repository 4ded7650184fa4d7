import { MessageError } from '../errors/index.js';
import { encodePayload, readPayload, type PayloadCodec } from '../delivery/index.js';

/** How bodies are stored. */
export interface BodyTerms {
  readonly codec: PayloadCodec;
  readonly maxMessageBytes: number;
}

/** The default codec: bodies are well-formed texts, stored as they are. */
export const TEXT_CODEC: PayloadCodec = Object.freeze({
  encode(body: unknown): string {
    if (typeof body !== 'string') throw new TypeError('it is no text');
    return body;
  },
  decode: (bytes: Buffer) => bytes.toString('utf8'),
});

/**
 * The bytes to store.
 *
 * @throws MessageError when the codec cannot encode it, or when it is longer than `maxMessageBytes`
 */
export function encodeBody(body: unknown, { codec, maxMessageBytes }: BodyTerms): string | Buffer {
  try {
    const limit = { maxBytes: maxMessageBytes, limit: 'maxMessageBytes', option: 'body' };
    return encodePayload(codec, body, limit);
  } catch (cause) {
    throw new MessageError((cause as Error).message, { cause });
  }
}

/** A stored body as far as it can be read: the raw text beside the reason where it does not decode. */
export function decodeBody(
  bytes: Buffer,
  { codec }: BodyTerms,
): { readonly body: unknown; readonly unreadable: Error | null } {
  const { payload, unreadable } = readPayload(codec, bytes);
  return { body: payload, unreadable };
}
