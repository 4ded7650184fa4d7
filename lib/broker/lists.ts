import { checkList, InvalidOptionError } from '../errors/index.js';

/**
 * The most items of a list, which goes to the server in one step. An insert has three arguments an
 * item; at about a million of them a server cuts the connection.
 */
export const MAX_ITEMS = 100_000;

/** A list that one step takes whole. @throws InvalidOptionError naming the option */
export function checkItems<T>(option: string, items: readonly T[]): readonly T[] {
  const list = checkList(option, items);
  if (list.length <= MAX_ITEMS) return list;
  throw new InvalidOptionError(option, `expected at most ${MAX_ITEMS}, got ${items.length}`);
}

/** The most bytes of the bodies of one insert, 64 MiB; a single message is taken whatever its size. */
const MAX_BYTES = 2 ** 26;

/** @throws InvalidOptionError naming the option when the bodies are too much for one step */
export function checkBodies(option: string, rows: readonly { readonly body: string | Buffer }[]) {
  const bytes = rows.reduce((sum, { body }) => sum + Buffer.byteLength(body), 0);
  if (rows.length < 2 || bytes <= MAX_BYTES) return;
  throw new InvalidOptionError(option, `expected at most ${MAX_BYTES} bytes of bodies in all`);
}
