import { InvalidOptionError } from '../errors/index.js';

/** What a script argument is on the wire. */
export type ScriptArgument = string | number | Buffer;

/** Writes one named argument of a script; refuses a wrong type before Redis is asked. */
export interface Codec<T> {
  /** Whether it may write any number of arguments, which only the last codec of a script may. */
  readonly many: boolean;
  /** Appends to ARGV; throws `InvalidOptionError` naming `name`. */
  write(argv: ScriptArgument[], name: string, value: T): void;
}

/** A whole number that a double holds exactly. */
export const integer: Codec<number> = {
  many: false,
  write(argv, name, value) {
    if (!Number.isSafeInteger(value)) refuse(name, 'a whole number', value);
    argv.push(value);
  },
};

/** Any text, the empty one too. */
export const text: Codec<string> = {
  many: false,
  write(argv, name, value) {
    if (typeof value !== 'string') refuse(name, 'a text', value);
    argv.push(value);
  },
};

/** `'1'` or `'0'`. */
export const flag: Codec<boolean> = {
  many: false,
  write(argv, name, value) {
    if (typeof value !== 'boolean') refuse(name, 'true or false', value);
    argv.push(value ? '1' : '0');
  },
};

/** A payload: text or a Buffer, passed on as it is. */
export const bytes: Codec<string | Buffer> = {
  many: false,
  write(argv, name, value) {
    if (typeof value !== 'string' && !Buffer.isBuffer(value)) refuse(name, 'text or bytes', value);
    argv.push(value);
  },
};

/** Any number of items, spread over the rest of ARGV; only as the last argument of a script. */
export function list<T>(item: Codec<T>): Codec<readonly T[]> {
  return {
    many: true,
    write(argv, name, values) {
      if (!Array.isArray(values)) refuse(name, 'an array', values);
      for (const value of values as readonly T[]) item.write(argv, name, value);
    },
  };
}

function refuse(name: string, wanted: string, value: unknown): never {
  throw new InvalidOptionError(name, `expected ${wanted}, got ${typeof value}`);
}
