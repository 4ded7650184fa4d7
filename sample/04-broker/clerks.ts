import { Injectable } from '@nestjs/common';
import { QueueBroker } from 'nest-redis-queue';
import type { Finding } from './finding.js';

const BATCH = 10;
const READ_BEFORE_HOME = 4;

/** Clerks of the support department, who take letters by batches. */
@Injectable()
export class Clerks {
  constructor(private readonly broker: QueueBroker) {}

  async work(): Promise<Finding[]> {
    const before = (await this.broker.queue('support').stats()).pending;
    const dropped = await this.workUntilHome();
    const { pending } = await this.broker.queue('support').stats();
    const seen = await this.workToTheEnd();
    const again = dropped.filter((id) => seen.has(id)).length;
    return [
      {
        promise: 'a batch that is dropped midway comes again whole',
        found: `${dropped.length} read before it was dropped, ${again} of them came again`,
        holds: pending === before && again === dropped.length,
      },
      {
        promise: 'an at-least-once reader loses nothing',
        found: `${seen.size} of ${before} letters were read to the end`,
        holds: seen.size === before,
      },
    ];
  }

  private async workUntilHome(): Promise<bigint[]> {
    const read: bigint[] = [];
    for await (const { id } of this.letters()) {
      read.push(id);
      if (read.length === READ_BEFORE_HOME) break; // the whole batch goes back to its place
    }
    return read;
  }

  private async workToTheEnd(): Promise<ReadonlySet<bigint>> {
    const read = new Set<bigint>();
    for await (const { id } of this.letters()) read.add(id);
    return read;
  }

  private letters() {
    const options = { guarantee: 'at-least-once', batchSize: BATCH } as const;
    return this.broker.queue('support').readAll(options);
  }
}
