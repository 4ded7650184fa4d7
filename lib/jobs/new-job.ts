import {
  InvalidOptionError,
  MAX_ATTEMPTS,
  MAX_DURATION_MS,
  checkDuration,
  checkInteger,
  checkKeys,
} from '../errors/index.js';
import { newId, checkHeaders, encodePayload } from '../delivery/index.js';
import { checkName } from '../redis/index.js';
import { encodeHead } from './envelope.js';
import type { NewJob } from './job.js';
import type { JobsSettings } from './jobs.options.js';

/** A job ready for the enqueue script: checked and serialised once, before anything is sent. */
export interface EncodedJob {
  readonly id: string;
  /** Whether the caller chose the id, so that it may exist already. */
  readonly isOwnId: boolean;
  /** Whether an earlier job may absorb it. */
  readonly hasKey: boolean;
  readonly type: string;
  readonly head: string;
  readonly payload: string | Buffer;
}

/** The fields of a new job. */
export const NEW_JOB_FIELDS = [
  'type',
  'payload',
  'priority',
  'delayMs',
  'notBefore',
  'coalesceBy',
  'id',
  'maxAttempts',
  'headers',
] as const satisfies readonly (keyof NewJob)[];

/**
 * Checks a job and makes the arguments of its enqueue.
 *
 * @throws InvalidOptionError naming the field; PayloadError for a payload that cannot be stored.
 */
export function encodeJob(job: NewJob, settings: JobsSettings): EncodedJob {
  checkKeys('job', job, NEW_JOB_FIELDS);
  return {
    id: job.id === undefined ? newId() : checkName('id', job.id),
    isOwnId: job.id !== undefined,
    hasKey: job.coalesceBy !== undefined,
    type: job.type,
    head: encodeHead({
      due: dueOf(job),
      priority: job.priority === undefined ? 0 : checkInteger('priority', job.priority),
      maxAttempts: attemptsOf(job),
      type: checkName('type', job.type),
      coalesceBy: job.coalesceBy === undefined ? '' : checkName('coalesceBy', job.coalesceBy),
      headers: job.headers === undefined ? '' : checkHeaders('headers', job.headers),
    }),
    payload: encodePayload(settings.codec, job.payload, { maxBytes: settings.maxPayloadBytes }),
  };
}

function attemptsOf({ maxAttempts }: NewJob): number {
  if (maxAttempts === undefined) return 0;
  return checkInteger('maxAttempts', maxAttempts, { min: 1, max: MAX_ATTEMPTS });
}

/** A delay is measured by the server's clock, so it is sent as such and not as a time of ours. */
function dueOf({ delayMs, notBefore }: NewJob): string {
  if (delayMs !== undefined && notBefore !== undefined) {
    throw new InvalidOptionError('notBefore', 'give either delayMs or notBefore');
  }
  if (delayMs !== undefined) return `+${checkDuration('delayMs', delayMs, { min: 0 })}`;
  if (notBefore === undefined) return '';
  return String(checkInteger('notBefore', notBefore, { min: 0, max: 2e13 + MAX_DURATION_MS }));
}
