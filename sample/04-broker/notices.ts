import { Injectable } from '@nestjs/common';
import { QueueBroker } from 'nest-redis-queue';
import type { Finding } from './finding.js';
import { DEPARTMENTS } from './queues.js';

/** Puts up notices: one step for all queues, which misses none and revives none. */
@Injectable()
export class Notices {
  constructor(private readonly broker: QueueBroker) {}

  async putUp(): Promise<Finding[]> {
    const all = await this.broker.broadcast('the mailroom closes at five');
    const queues = (await this.broker.stats()).queues;
    const some = await this.broker.broadcast('cake', { queues: [...DEPARTMENTS, 'archive'] });
    const hasArchive = await this.broker.queue('archive').exists();
    return [
      {
        promise: 'a broadcast reaches every queue that there is',
        found: `${all} of ${queues} queues`,
        holds: all === queues,
      },
      {
        promise: 'a broadcast to a list makes no queue that does not exist',
        found: `${some} of ${DEPARTMENTS.length + 1} named queues`,
        holds: some === DEPARTMENTS.length && !hasArchive,
      },
    ];
  }
}
