import { OperationalError } from '../errors/index.js';

/** A text reply (or bulk), decoded as UTF-8. */
export function asText(raw: unknown): string {
  if (Buffer.isBuffer(raw)) return raw.toString('utf8');
  return typeof raw === 'string' ? raw : unexpected('a text', raw);
}

/** A text reply, or `null` for Lua's `false`. */
export function asTextOrNull(raw: unknown): string | null {
  return raw === null ? null : asText(raw);
}

/** A whole number, as an integer reply or written in a text reply. */
export function asInteger(raw: unknown): number {
  const value = typeof raw === 'number' ? raw : raw === null ? NaN : Number(asText(raw));
  return Number.isSafeInteger(value) ? value : unexpected('a whole number', raw);
}

/** The bytes of a reply as they came. */
export function asBuffer(raw: unknown): Buffer {
  return Buffer.isBuffer(raw) ? raw : unexpected('bytes', raw);
}

/** The items of an array reply. */
export function asList(raw: unknown): readonly unknown[] {
  return Array.isArray(raw) ? raw : unexpected('a list', raw);
}

/** Only a script and its definition that disagree lead here; the contents are not shown. */
function unexpected(wanted: string, raw: unknown): never {
  const got = raw === null ? 'nothing' : Array.isArray(raw) ? 'a list' : `a ${typeof raw}`;
  throw new OperationalError(`a script answered ${got} in place of ${wanted}`, {
    retryable: false,
    outcomeAmbiguous: true,
  });
}
