import { Injectable } from '@nestjs/common';
import { InjectQueue, type QueueOf } from 'nest-redis-queue';
import { audit } from './audit.stream.js';
import { checksumOf, combine } from './checksum.js';
import { linesBelow } from './folder-lines.js';

/** What was written. */
export interface Written {
  readonly entries: number;
  /** Over all entries, whatever their order. */
  readonly checksum: number;
}

/** Writes the log, and tells how far its readers are. */
@Injectable()
export class AuditLog {
  constructor(@InjectQueue(audit) private readonly queue: QueueOf<typeof audit>) {}

  /** Makes the groups, so that none of them misses what another one was done with before it came. */
  async announce(groups: readonly string[]): Promise<void> {
    await Promise.all(groups.map((group) => this.queue.createGroup(group)));
  }

  /** Appends the lines of all files below a folder, a file at a time. */
  async write(folder: string): Promise<Written> {
    let entries = 0;
    let checksum = 0;
    for await (const lines of linesBelow(folder)) {
      await this.queue.appendMany(lines.map((payload) => ({ payload })));
      entries += lines.length;
      checksum = lines.map(checksumOf).reduce(combine, checksum);
    }
    return { entries, checksum };
  }

  /** Whether the groups are through with everything, and upkeep has trimmed it. */
  async isSettled(): Promise<boolean> {
    const { length, groups } = await this.queue.stats();
    return length === 0 && groups.every(({ waiting, running }) => waiting + running === 0);
  }

  deadLetters(): Promise<number> {
    return this.queue.deadLetters.count();
  }
}
