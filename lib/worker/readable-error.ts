/** How much of a message is kept: enough to read, little enough to store with every attempt. */
export const MAX_REASON_LENGTH = 2_000;

/**
 * Whatever was thrown, as an Error whose message holds at most 2,000 characters.
 *
 * An ordinary Error comes back as it is. Reading what was thrown never throws by itself: it may
 * be a proxy, or an object with getters that fail.
 */
export function readableError(thrown: unknown): Error {
  try {
    if (!isError(thrown)) return new Error(clip(textOf(thrown)));
    return isBounded(thrown) ? thrown : boundedCopy(thrown);
  } catch {
    return new Error('something was thrown that cannot be read');
  }
}

/** The `code` of an error: says what it is across two copies of the library in one process. */
export function codeOf(error: unknown): string | undefined {
  const code = propertyOf(error, 'code');
  return typeof code === 'string' ? code : undefined;
}

/** One property of whatever was thrown; `undefined` when it has none or refuses to tell. */
export function propertyOf(thrown: unknown, key: string): unknown {
  try {
    return typeof thrown === 'object' && thrown !== null ? Reflect.get(thrown, key) : undefined;
  } catch {
    return undefined;
  }
}

/** By tag as well, since an error of another realm is no instance of ours. */
function isError(thrown: unknown): thrown is Error {
  return thrown instanceof Error || Object.prototype.toString.call(thrown) === '[object Error]';
}

function isBounded(error: Error): boolean {
  const message: unknown = error.message;
  return typeof message === 'string' && message.length <= MAX_REASON_LENGTH;
}

function boundedCopy(error: Error): Error {
  const copy = new Error(clip(String(error.message)));
  copy.name = clip(String(error.name));
  copy.stack = `${copy.name}: ${copy.message}${framesOf(error)}`;
  return copy;
}

function framesOf(error: Error): string {
  const stack: unknown = error.stack;
  const start = typeof stack === 'string' ? stack.lastIndexOf(error.message) : -1;
  return start < 0 ? '' : clip((stack as string).slice(start + error.message.length));
}

function textOf(thrown: unknown): string {
  if (typeof thrown === 'string') return thrown;
  if (typeof thrown !== 'object' || thrown === null) return `${String(thrown)} was thrown`;
  const message = propertyOf(thrown, 'message');
  return typeof message === 'string' ? message : `an object was thrown: ${json(thrown)}`;
}

function json(value: object): string {
  try {
    return JSON.stringify(value);
  } catch {
    return Object.prototype.toString.call(value);
  }
}

function clip(text: string): string {
  if (text.length <= MAX_REASON_LENGTH) return text;
  const cut = text.slice(0, MAX_REASON_LENGTH - 1);
  // half of a pair is not a character, and some stores refuse it
  return `${/[\uD800-\uDBFF]$/.test(cut) ? cut.slice(0, -1) : cut}…`;
}
