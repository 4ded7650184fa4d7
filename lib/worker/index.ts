export { ClaimLoop, type ClaimLoopParts } from './claim-loop.js';
export type { LoopHealth } from './loop-health.js';
export { FailureLog, type FailureWords } from './failure-log.js';
export { LeaseKeeper, type Held } from './lease-keeper.js';
export {
  LOOP_DEFAULTS,
  checkLoopOptions,
  type LoopOptions,
  type ResolvedLoop,
} from './loop.options.js';
export { RetryPolicy, type FailedRun, type RetryPolicyParts } from './retry-policy.js';
export {
  RETRY_DEFAULTS,
  checkRetryOptions,
  type BackoffFunction,
  type BackoffOptions,
  type ExponentialBackoff,
  type FixedBackoff,
  type ResolvedRetry,
  type RetryOptions,
} from './retry.options.js';
