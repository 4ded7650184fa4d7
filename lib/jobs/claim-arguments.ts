import {
  InvalidOptionError,
  checkBoolean,
  checkDuration,
  checkInteger,
  checkKeys,
  checkList,
  checkSignal,
} from '../errors/index.js';
import { checkName, encodeName } from '../redis/index.js';
import type { DequeueOptions, FailOptions, JobHandle } from './job.js';
import { DEFAULT_ATTEMPTS, FAIL_RETRY_MS, MAX_BATCH, MAX_TYPES } from './jobs.options.js';
import type { ClaimTerms } from './outcome.js';

const DEQUEUE_OPTIONS = ['types', 'limit', 'leaseMs', 'waitMs', 'signal'];

/** What a dequeue asks for, checked; every wrong argument is an InvalidOptionError. */
export interface DequeueTerms {
  readonly claim: ClaimTerms;
  readonly waitMs: number;
  readonly signal: AbortSignal | undefined;
}

export function checkDequeue(options: DequeueOptions, defaults: { leaseMs: number }): DequeueTerms {
  checkKeys('options', options, DEQUEUE_OPTIONS);
  const { limit = 1, leaseMs = defaults.leaseMs, waitMs = 5_000, types = [], signal } = options;
  return {
    claim: {
      limit: checkInteger('limit', limit, { min: 1, max: MAX_BATCH }),
      leaseMs: checkDuration('leaseMs', leaseMs),
      attempts: DEFAULT_ATTEMPTS,
      types: encodeTypes(types),
    },
    waitMs: checkDuration('waitMs', waitMs, { min: 0 }),
    signal: signal === undefined ? undefined : checkSignal('signal', signal),
  };
}

/** Names of types as Lua knows them. */
export function encodeTypes(types: readonly string[]): string[] {
  const names = checkList('types', types);
  if (names.length > MAX_TYPES) {
    throw new InvalidOptionError('types', `expected at most ${MAX_TYPES}, got ${names.length}`);
  }
  return names.map((type) => encodeName(checkName('types', type)));
}

/** Id and token of a claim; of whatever object they are part. */
export function checkHandle(job: JobHandle): JobHandle {
  if (typeof job !== 'object' || job === null) {
    throw new InvalidOptionError('job', 'expected a claimed job, or its id and token');
  }
  return { id: checkName('id', job.id), token: checkToken(job.token) };
}

export function checkHandles(jobs: readonly JobHandle[]): JobHandle[] {
  return checkList('jobs', jobs).map(checkHandle);
}

/** How a failed run goes on; `retry` without a delay named waits the seed's 30 s. */
export function checkFailure(options: FailOptions): { verb: 'fail' | 'retry'; delayMs: number } {
  checkKeys('options', options, ['retry', 'retryInMs']);
  const { retry = true, retryInMs = FAIL_RETRY_MS } = options as Record<string, unknown>;
  if (!checkBoolean('retry', retry)) return { verb: 'fail', delayMs: 0 };
  return { verb: 'retry', delayMs: checkDuration('retryInMs', retryInMs, { min: 0 }) };
}

export function checkDelay(options: { readonly delayMs?: number }): number {
  checkKeys('options', options, ['delayMs']);
  const { delayMs = 0 } = options;
  return checkDuration('delayMs', delayMs, { min: 0 });
}

export function checkLease(options: { readonly leaseMs?: number }, defaultMs: number): number {
  checkKeys('options', options, ['leaseMs']);
  const { leaseMs = defaultMs } = options;
  return checkDuration('leaseMs', leaseMs);
}

function checkToken(token: unknown): string {
  if (typeof token === 'string' && /^\d{1,16}$/.test(token)) return token;
  throw new InvalidOptionError('token', 'expected the token of a claimed job');
}
