/** Resolves after `ms` milliseconds. */
export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** A promise that a test settles from outside. */
export interface Signalled<T = void> {
  readonly promise: Promise<T>;
  readonly resolve: (value: T) => void;
}

/** A promise and the call that resolves it. */
export function signalled<T = void>(): Signalled<T> {
  let resolve!: (value: T) => void;
  const promise = new Promise<T>((ok) => (resolve = ok));
  return { promise, resolve };
}
