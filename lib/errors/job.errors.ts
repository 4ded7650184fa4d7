import { RedisQueueError } from './redis-queue.error.js';

/** No job of that id is in the queue (never was, or its retention is over). */
export class JobNotFoundError extends RedisQueueError {
  constructor(readonly jobId: string) {
    super('JOB_NOT_FOUND', `no job ${JSON.stringify(jobId)} in this queue`);
  }
}

/** The job is in a state from which the call does not lead on; nothing was changed. */
export class JobStateError extends RedisQueueError {
  constructor(
    readonly jobId: string,
    /** The state the job is in. */
    readonly from: string,
    /** The state (or states) the call needs. */
    readonly wanted: string,
  ) {
    super('JOB_STATE', `job ${JSON.stringify(jobId)} is ${from}; the call needs ${wanted}`);
  }
}
