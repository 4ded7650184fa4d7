import { InvalidOptionError } from '../errors/index.js';

/** Longest name (queue, type, group, id, coalescing key) in UTF-8 bytes. */
export const MAX_NAME_BYTES = 512;

const CONTROL = /\p{Cc}/u;
const LONE_SURROGATE = /\p{Surrogate}/u;
const RESERVED = /[%{}]/g;
const ENCODED = /%(25|7B|7D)/g;

/**
 * A name that can stand in a key: 1 to 512 UTF-8 bytes, well-formed, no control characters.
 * Everything else is allowed and kept apart, `a:b`, `constructor` and the empty-looking ` ` too.
 * Throws `InvalidOptionError` naming `option`.
 */
export function checkName(option: string, value: unknown): string {
  if (typeof value !== 'string' || value === '') {
    throw new InvalidOptionError(option, 'expected a text that is not empty');
  }
  if (value.length > MAX_NAME_BYTES || Buffer.byteLength(value) > MAX_NAME_BYTES) {
    throw new InvalidOptionError(option, `longer than ${MAX_NAME_BYTES} bytes in UTF-8`);
  }
  if (CONTROL.test(value)) throw new InvalidOptionError(option, 'holds a control character');
  if (LONE_SURROGATE.test(value)) {
    throw new InvalidOptionError(option, 'is not well-formed text (half of a surrogate pair)');
  }
  return value;
}

/** The name as it stands in a key: braces would end a Redis Cluster hash tag, so they are encoded. */
export function encodeName(name: string): string {
  return name.replace(RESERVED, (character) =>
    character === '%' ? '%25' : character === '{' ? '%7B' : '%7D',
  );
}

/** The name that `encodeName` encoded. */
export function decodeName(encoded: string): string {
  return encoded.replace(ENCODED, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
}
