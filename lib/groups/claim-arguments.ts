import {
  checkDuration,
  checkInteger,
  checkKeys,
  checkSignal,
  InvalidOptionError,
  reasonOf,
} from '../errors/index.js';
import type { ClaimTerms } from './group-claims.js';
import type { ClaimOptions, MessageHandle, NackOptions, RateLimit } from './group-message.js';
import {
  checkGroupBatch,
  MAX_BATCH,
  MAX_GROUP_BATCH,
  type GroupsSettings,
} from './groups.options.js';
import { encodeGroup } from './new-message.js';
import { passesFrom } from './tiers.js';

/** What a claim by hand asks for, checked. */
export interface ClaimPlan {
  readonly terms: ClaimTerms;
  readonly waitMs: number;
  readonly signal: AbortSignal | undefined;
}

const CLAIM_OPTIONS = ['limit', 'minPriority', 'leaseMs', 'groupBatch', 'waitMs', 'signal'];

/** @throws InvalidOptionError naming the option */
export function checkClaim(options: ClaimOptions, settings: GroupsSettings): ClaimPlan {
  checkKeys('options', options, CLAIM_OPTIONS);
  const { limit = 1, minPriority = 0, waitMs = 0, signal } = options;
  const { leaseMs = settings.leaseMs, groupBatch = settings.groupBatch } = options;
  return {
    terms: {
      limit: checkInteger('limit', limit, { min: 1, max: MAX_BATCH }),
      leaseMs: checkDuration('leaseMs', leaseMs),
      batch: checkGroupBatch('groupBatch', groupBatch),
      attempts: settings.maxAttempts ?? 0,
      passes: passesFrom(checkInteger('minPriority', minPriority)),
    },
    waitMs: checkDuration('waitMs', waitMs, { min: 0 }),
    signal: signal === undefined ? undefined : checkSignal('signal', signal),
  };
}

/** A handle that was checked; its group is encoded. */
export type CheckedHandle = Required<MessageHandle>;

/** Group, token and place of a claim; of whatever object they are part. */
export function checkHandle(message: MessageHandle, leaseMs: number): CheckedHandle {
  if (typeof message !== 'object' || message === null) {
    throw new InvalidOptionError('message', 'expected a claimed message, or its group and token');
  }
  const { position = 0, leaseMs: own = leaseMs } = message;
  return {
    group: encodeGroup(message.group),
    token: checkToken(message.token),
    position: checkInteger('position', position, { min: 0, max: MAX_GROUP_BATCH - 1 }),
    leaseMs: checkDuration('leaseMs', own),
  };
}

/** @throws InvalidOptionError naming the option */
export function checkNack(options: NackOptions): { delayMs: number; reason: string } {
  checkKeys('options', options, ['delayMs', 'reason']);
  const { delayMs = 0, reason = '' } = options;
  return { delayMs: checkDuration('delayMs', delayMs, { min: 0 }), reason: reasonOf(reason) };
}

/** @throws InvalidOptionError naming the option */
export function checkRelease(options: { readonly delayMs?: number }): number {
  checkKeys('options', options, ['delayMs']);
  const { delayMs = 0 } = options;
  return checkDuration('delayMs', delayMs, { min: 0 });
}

/** The limit as its script takes it; `null` takes it away. Throws `InvalidOptionError`. */
export function checkRate(rate: RateLimit | null): RateLimit {
  if (rate === null) return { max: 0, durationMs: 0 };
  checkKeys('rate', rate, ['max', 'durationMs']);
  return {
    max: checkInteger('rate.max', rate.max, { min: 1, max: 1e9 }),
    durationMs: checkDuration('rate.durationMs', rate.durationMs),
  };
}

function checkToken(token: unknown): string {
  if (typeof token === 'string' && /^\d{1,16}$/.test(token)) return token;
  throw new InvalidOptionError('token', 'expected the token of a claimed message');
}
