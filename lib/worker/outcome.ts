import type { Delivery } from '../contract/index.js';
import { MAX_DURATION_MS } from '../errors/index.js';
import { codeOf, propertyOf, readableError } from './readable-error.js';
import type { RetryPolicy } from './retry-policy.js';

/** How a run ended, as a value that is settled once, in one place. */
export type Outcome =
  | { readonly kind: 'ack'; readonly result: unknown }
  | { readonly kind: 'nack'; readonly error: Error; readonly retryInMs: number | null }
  | { readonly kind: 'release'; readonly delayMs: number };

/** Back to the queue as it was: nobody is to blame. */
export const GIVEN_BACK: Outcome = Object.freeze({ kind: 'release', delayMs: 0 });

/** What a handler that threw means for its message. Known by `code`, whichever copy made it. */
export function outcomeOfThrown(thrown: unknown, delivery: Delivery, policy: RetryPolicy): Outcome {
  const code = codeOf(thrown);
  const delayMs = code === 'RETRY_LATER' ? propertyOf(thrown, 'delayMs') : undefined;
  if (isDelay(delayMs)) return { kind: 'release', delayMs };
  const error = readableError(thrown);
  return code === 'UNRECOVERABLE' ? deadLetter(error) : failure(error, delivery, policy);
}

/** No attempt is of use any more. */
export function deadLetter(error: Error): Outcome {
  return { kind: 'nack', error, retryInMs: null };
}

/** An ordinary failure: the policy says whether and when to try again. */
export function failure(error: Error, delivery: Delivery, policy: RetryPolicy): Outcome {
  const { message, maxAttempts } = delivery;
  const retryInMs = policy.nextRetryMs({
    attempt: message.attempt,
    maxAttempts,
    error,
    type: message.name,
  });
  return { kind: 'nack', error, retryInMs };
}

function isDelay(value: unknown): value is number {
  return (
    Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= MAX_DURATION_MS
  );
}
