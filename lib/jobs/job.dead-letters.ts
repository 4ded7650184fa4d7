import type { DeadLetter, DeadLetters } from '../contract/index.js';
import { JobNotFoundError, JobStateError } from '../errors/index.js';
import type { JobRecord } from './job.js';
import type { JobDriver } from './jobs.driver.js';

/** The failed jobs of a queue, as dead letters. */
export class JobDeadLetters implements DeadLetters {
  constructor(private readonly driver: JobDriver) {}

  async count(): Promise<number> {
    return (await this.driver.stats()).failed;
  }

  async list(
    page: { readonly limit?: number; readonly offset?: number } = {},
  ): Promise<readonly DeadLetter[]> {
    const { jobs } = await this.driver.list({ ...page, status: 'failed' });
    return jobs.map(toDeadLetter);
  }

  async redrive(id: string): Promise<boolean> {
    try {
      await this.driver.retry(id);
      return true;
    } catch (error) {
      if (error instanceof JobNotFoundError || error instanceof JobStateError) return false;
      throw error;
    }
  }

  drop(id: string): Promise<boolean> {
    return this.driver.drop(id);
  }
}

function toDeadLetter(job: JobRecord): DeadLetter {
  return {
    id: job.id,
    payload: job.payload,
    headers: job.headers,
    attempts: job.attempts,
    reason: job.lastError ?? '',
    deadAt: job.finishedAt ?? 0,
  };
}
