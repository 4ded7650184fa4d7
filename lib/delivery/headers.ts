import { checkRecord, InvalidOptionError, UnreadablePayloadError } from '../errors/index.js';

/** Text pairs that travel beside a payload. */
export type Headers = Readonly<Record<string, string>>;

/** Headers are read with every look at a message, so they stay small. */
const MAX_HEADERS_BYTES = 16_384;

/** What a message without headers shows. */
export const NO_HEADERS: Headers = Object.freeze({});

/**
 * The headers as they are stored: JSON, or an empty text when there are none. Throws
 * `InvalidOptionError` when it is not a record of texts.
 */
export function checkHeaders(option: string, value: unknown): string {
  if (value === undefined) return '';
  const record = checkRecord(option, value);
  const names = Object.keys(record);
  const wrong = names.find((name) => typeof record[name] !== 'string');
  if (wrong !== undefined) {
    throw new InvalidOptionError(
      `${option}.${wrong}`,
      `expected a text, got ${typeof record[wrong]}`,
    );
  }
  const text = names.length === 0 ? '' : JSON.stringify(record);
  if (Buffer.byteLength(text) <= MAX_HEADERS_BYTES) return text;
  throw new InvalidOptionError(option, `more than ${MAX_HEADERS_BYTES} bytes: use the payload`);
}

/** The headers of a stored text; throws `UnreadablePayloadError` when it was not written by us. */
export function parseHeaders(text: string): Headers {
  if (text === '') return NO_HEADERS;
  const parsed = parse(text);
  if (isHeaders(parsed)) return parsed;
  throw new UnreadablePayloadError('the headers are not a record of texts');
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new UnreadablePayloadError('the headers do not decode', { cause });
  }
}

function isHeaders(value: unknown): value is Headers {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return Object.values(value).every((text) => typeof text === 'string');
}
