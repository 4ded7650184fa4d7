/** How often and how long to look, in milliseconds. */
export interface Patience {
  /** @default 10_000 */
  readonly withinMs?: number;
  /** @default 10 */
  readonly everyMs?: number;
}

/**
 * Looks again and again until `look` answers something true, and returns that. Fails with the
 * error that `look` threw last, or says what it answered last.
 */
export async function eventually<T>(
  look: () => T | Promise<T>,
  { withinMs = 10_000, everyMs = 10 }: Patience = {},
): Promise<T> {
  const until = Date.now() + withinMs;
  for (;;) {
    const outcome = await attempt(look);
    if (outcome.value) return outcome.value;
    if (Date.now() > until) {
      throw outcome.error ?? new Error(`still ${String(outcome.value)} after ${withinMs} ms`);
    }
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
}

async function attempt<T>(
  look: () => T | Promise<T>,
): Promise<{ readonly value?: T; readonly error?: Error }> {
  try {
    return { value: await look() };
  } catch (error) {
    return { error: error as Error };
  }
}
