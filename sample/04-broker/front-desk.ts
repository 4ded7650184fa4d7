import { Injectable } from '@nestjs/common';
import { QueueBroker } from 'nest-redis-queue';
import type { Finding } from './finding.js';

const ALIAS = 'front-desk';
const SLIPS = 200;

/** Moves to another room while slips are handed in: those who hand in know the alias only. */
@Injectable()
export class FrontDesk {
  constructor(private readonly broker: QueueBroker) {}

  async move(): Promise<Finding[]> {
    await this.broker.aliases.add(ALIAS, 'room-1');
    const [written] = await Promise.all([this.handIn(), this.moveHalfWay()]);
    const target = await this.broker.aliases.resolve(`@${ALIAS}`);
    const room1 = await this.broker.queue('room-1').stats();
    const room2 = await this.broker.queue('room-2').peekMany();
    return [
      {
        promise: 'an alias that is switched while writing loses nothing',
        found: `${room2.length} of ${SLIPS} slips in ${target}, ${room1.pending} in room-1`,
        holds: room2.map(({ id }) => id).join() === written.join() && room1.pending === 0,
      },
    ];
  }

  private async handIn(): Promise<bigint[]> {
    const desk = this.broker.queue(`@${ALIAS}`);
    const ids: bigint[] = [];
    for (let n = 0; n < SLIPS; n++) ids.push(await desk.write(`slip ${n}`));
    return ids;
  }

  /** One step takes the slips along and leads the alias to the new room. */
  private async moveHalfWay(): Promise<void> {
    const waiter = await this.broker.queue('room-1').waiter();
    await waiter.wait();
    await waiter.close();
    await this.broker.rename('room-1', 'room-2');
  }
}
