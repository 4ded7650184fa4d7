import type { ClaimedJob, JobStatus, JobStats } from '../../../lib/jobs/index.js';
import { JOB_STATUSES } from '../../../lib/jobs/index.js';

/** A job as the model knows it. */
export interface ModelJob {
  readonly id: string;
  readonly type: string;
  readonly priority: number;
  /** Order of adding. */
  readonly seq: number;
  readonly key: string;
  readonly maxAttempts: number;
  status: JobStatus;
  attempts: number;
  recoveries: number;
  /** The claim that holds it; of scheduled jobs the order of coming due is their seq. */
  token: string | null;
}

/** What a jobs queue should do, in the plainest way: one list and no index. */
export class QueueModel {
  readonly jobs: ModelJob[] = [];
  private readonly holders = new Map<string, string>();

  get(id: string): ModelJob {
    return this.jobs.find((job) => job.id === id)!;
  }

  in(status: JobStatus): ModelJob[] {
    return this.jobs.filter((job) => job.status === status);
  }

  /** The waiting job that absorbs one with this key. */
  absorber(key: string): string | undefined {
    const holder = this.holders.get(key);
    if (key === '' || holder === undefined) return undefined;
    return ['pending', 'scheduled'].includes(this.get(holder).status) ? holder : undefined;
  }

  add(job: Pick<ModelJob, 'id' | 'type' | 'priority' | 'key' | 'maxAttempts' | 'status'>): void {
    this.jobs.push({ ...job, seq: this.jobs.length, attempts: 0, recoveries: 0, token: null });
    if (job.key !== '') this.holders.set(job.key, job.id);
  }

  /** Ids in claim order. */
  pending(types?: readonly string[]): string[] {
    return this.in('pending')
      .filter(({ type }) => types === undefined || types.includes(type))
      .sort((one, other) => other.priority - one.priority || one.seq - other.seq)
      .map(({ id }) => id);
  }

  claim(claimed: ClaimedJob): void {
    const job = this.get(claimed.id);
    Object.assign(job, { status: 'running', token: claimed.token, attempts: job.attempts + 1 });
    if (this.holders.get(job.key) === job.id) this.holders.delete(job.key);
  }

  /** Everything scheduled becomes due at once. */
  promote(): void {
    for (const job of this.in('scheduled')) job.status = 'pending';
  }

  /** Every lease is over at once. */
  recover(maxRecoveries: number): number {
    const orphans = this.in('running');
    for (const job of orphans) {
      job.recoveries++;
      job.token = null;
      const isDoomed = job.attempts >= job.maxAttempts || job.recoveries > maxRecoveries;
      job.status = isDoomed ? 'failed' : 'pending';
    }
    return orphans.length;
  }

  stats(): Pick<JobStats, JobStatus> {
    const counts = JOB_STATUSES.map((status) => [status, this.in(status).length] as const);
    return Object.fromEntries(counts) as Pick<JobStats, JobStatus>;
  }
}
