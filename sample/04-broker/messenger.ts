import { Injectable } from '@nestjs/common';
import { QueueBroker } from 'nest-redis-queue';
import type { Finding } from './finding.js';

const DOORS = ['door-a', 'door-b', 'door-c'];

/** Waits at three doors at once. A wake-up is a hint: after each the messenger looks at all doors. */
@Injectable()
export class Messenger {
  constructor(private readonly broker: QueueBroker) {}

  async run(): Promise<Finding[]> {
    const waiter = await this.broker.waiter(DOORS);
    const sentAt = performance.now();
    const waiting = waiter.wait();
    await this.broker.write('door-c', 'take me to the post office');
    const wasWoken = await waiting;
    const tookMs = performance.now() - sentAt;
    const found = await this.look();
    const wokenForNothing = await waiter.wait({ timeoutMs: 50 });
    await waiter.close();
    return [
      {
        promise: 'a waiter on three queues is woken by a write to any of them',
        found: `after ${tookMs.toFixed(1)} ms, with ${found} letter at the doors`,
        holds: wasWoken && found === 1 && !wokenForNothing,
      },
    ];
  }

  private async look(): Promise<number> {
    const letters = await Promise.all(DOORS.map((door) => this.broker.queue(door).read()));
    return letters.filter((letter) => letter !== null).length;
  }
}
