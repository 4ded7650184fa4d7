import { PartialFailureError } from '../errors/index.js';

/**
 * What became of the items of one call for many: their results, in the order of the items.
 *
 * @throws PartialFailureError where some were carried out, with all that is known; the failure
 * itself where none was, one that leaves the outcome open first
 */
export function allOrPartial<Result>(settled: readonly PromiseSettledResult<Result>[]): Result[] {
  const results = settled.map((one) =>
    one.status === 'fulfilled' ? one.value : (one.reason as Error),
  );
  const errors = results.filter((result) => result instanceof Error);
  if (errors.length === 0) return results as Result[];
  throw errors.length === results.length
    ? (errors.find(isAmbiguous) ?? errors[0])
    : new PartialFailureError(results);
}

function isAmbiguous(error: Error): boolean {
  return (error as { readonly outcomeAmbiguous?: boolean }).outcomeAmbiguous === true;
}
