import { Injectable } from '@nestjs/common';
import { QueueBroker } from 'nest-redis-queue';
import type { Finding } from './finding.js';

const READINGS = 50;
const KEPT = 5;

/** A scale whose readings are of interest only while they are new. */
@Injectable()
export class Scale {
  constructor(private readonly broker: QueueBroker) {}

  async weigh(): Promise<Finding[]> {
    const readings = this.broker.queue('scale');
    for (let n = 1; n <= READINGS; n++) {
      await readings.write(`${n * 10} g`, { keepNewest: KEPT });
    }
    const { pending, claimed } = await readings.stats();
    const newest = await readings.peek({ order: 'newest' });
    return [
      {
        promise: `keepNewest keeps the ${KEPT} newest readings, and displaces the others`,
        found: `${pending} kept, ${claimed} displaced, the newest is ${newest?.body}`,
        holds:
          pending === KEPT && claimed === READINGS - KEPT && newest?.body === `${READINGS * 10} g`,
      },
    ];
  }
}
