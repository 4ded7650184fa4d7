/** What a call throws, as far as tests compare it; `undefined` when it does not throw. */
export function caught(call: () => unknown): { code?: string; option?: string } | undefined {
  try {
    call();
    return undefined;
  } catch (error) {
    const { code, option } = error as { code?: string; option?: string };
    return { code, option };
  }
}
