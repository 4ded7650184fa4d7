import { InvalidOptionError } from '../errors/index.js';
import { checkId, MAX_ID } from './ids.js';

/** What the head of a dump says it is. */
export const FORMAT = 'nest-redis-queue:broker';
/** Changes with the lines of a dump. */
export const FORMAT_VERSION = 1;
/** Messages of one page. */
export const PAGE = 500;

/** Ids of messages that were there: the highest one too, which a write may have got. */
const LOADABLE = Object.freeze({ min: 1n, max: MAX_ID });

/** A line of a dump, not checked yet. */
export type DumpLine = Readonly<Record<string, unknown>>;

/** @throws InvalidOptionError naming the line */
export function parseLine(text: unknown, place: string): DumpLine {
  if (typeof text !== 'string') throw new InvalidOptionError(place, 'expected a line of text');
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null) return value as DumpLine;
  } catch {
    // told below, as for any other value
  }
  throw new InvalidOptionError(place, 'is no JSON object');
}

/** The last id that the head tells. @throws InvalidOptionError naming the line */
export function readHead({ format, version, lastId }: DumpLine, place: string): bigint {
  if (format === FORMAT && version === FORMAT_VERSION) return checkId(place, lastId);
  throw new InvalidOptionError(place, `is not the head of a dump of version ${FORMAT_VERSION}`);
}

/** The id of a message. @throws InvalidOptionError naming the line */
export function readId({ id }: DumpLine, place: string): bigint {
  return checkId(place, id, LOADABLE);
}

/** The body of a message, of whatever type it says; bytes are exact. @throws InvalidOptionError */
export function readBody({ body, base64 }: DumpLine, place: string): unknown {
  if ((body === undefined) === (base64 === undefined)) {
    throw new InvalidOptionError(place, 'expected a body, or its base64');
  }
  if (base64 === undefined) return body;
  const bytes = Buffer.from(typeof base64 === 'string' ? base64 : '', 'base64');
  if (bytes.toString('base64') === base64) return bytes;
  throw new InvalidOptionError(place, 'its base64 is malformed');
}

/** How a body stands in a line. */
export function bodyFields(body: Buffer): { readonly body: string } | { readonly base64: string } {
  const text = body.toString('utf8');
  return Buffer.from(text).equals(body) ? { body: text } : { base64: body.toString('base64') };
}

/** Lines one after another, from wherever. @throws InvalidOptionError */
export function checkLines(
  lines: Iterable<string> | AsyncIterable<string>,
): Iterable<string> | AsyncIterable<string> {
  const given = Object(lines ?? {}) as Partial<AsyncIterable<string> & Iterable<string>>;
  const isIterable = [given[Symbol.asyncIterator], given[Symbol.iterator]].some(
    (method) => typeof method === 'function',
  );
  if (isIterable && typeof lines !== 'string') return lines;
  throw new InvalidOptionError('lines', 'expected lines one by one: a list, a stream, a generator');
}
