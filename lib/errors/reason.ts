import { InvalidOptionError } from './option.errors.js';

/** Error texts are kept to this many characters: a reason, not a dump. */
const MAX_REASON = 2_000;

/**
 * A failure as text, short enough to be stored.
 *
 * @throws InvalidOptionError naming `error` when it is neither an error nor a text
 */
export function reasonOf(error: Error | string): string {
  const text = typeof error === 'string' ? error : textOf(error);
  return text.slice(0, MAX_REASON);
}

function textOf(error: Partial<Error> | null | undefined): string {
  if (typeof error?.message === 'string') return error.message || (error.name ?? '');
  throw new InvalidOptionError('error', 'expected an Error or a text');
}
