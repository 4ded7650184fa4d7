import { Injectable } from '@nestjs/common';
import { InjectQueue, type JobRecord, type QueueOf } from 'nest-redis-queue';
import { count } from './format.js';
import { ingest, PRIORITY } from './ingest.queue.js';
import { Screen } from './screen.js';
import { UploadFolder } from './upload.folder.js';

const LOST = { id: 'upload-lost', name: 'lost.txt' };
const LATE = { id: 'upload-late', name: 'late.txt' };

/** Two uploads whose files are not there yet: one never comes, the other when its job has failed. */
@Injectable()
export class Uploads {
  private isLateOneHere = false;

  constructor(
    private readonly folder: UploadFolder,
    private readonly screen: Screen,
    @InjectQueue(ingest) private readonly queue: QueueOf<typeof ingest>,
  ) {}

  /** Safe to repeat: a job that exists by its id is left as it is. */
  async announce(): Promise<void> {
    for (const { id, name } of [LOST, LATE]) {
      await this.queue.add('upload', { name }, { id, priority: PRIORITY.someoneWaits });
    }
  }

  /**
   * What an operator does on seeing the failed job: mends the cause, then retries it by hand.
   * Answers whether there was something to do.
   */
  async mendLateOne(): Promise<boolean> {
    const job = await this.queue.get(LATE.id);
    if (job?.status !== 'failed' || this.isLateOneHere) return false;
    this.isLateOneHere = true;
    await this.folder.receive(LATE.name, 'better late than never\n');
    await this.queue.retry(LATE.id);
    this.screen.say(`${LATE.name} is here now; retried by hand ${after(job)}`);
    return true;
  }
}

function after({ attempts, lastError }: JobRecord): string {
  return `after ${count(attempts)} attempts that failed (${lastError})`;
}
