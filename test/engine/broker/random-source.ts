/** Numbers that look random and are the same for the same seed, so that a failure can be repeated. */
export interface RandomSource {
  /** A whole number from 0 up to and without `limit`. */
  below(limit: number): number;
  pick<T>(list: readonly T[]): T;
}

export function randomSource(seed: number): RandomSource {
  let state = seed >>> 0 || 1;
  const next = (): number => {
    state ^= state << 13;
    state >>>= 0;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>>= 0);
  };
  const below = (limit: number) => next() % limit;
  return { below, pick: (list) => list[below(list.length)] };
}
