import { setTimeout as pause } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { InjectQueue, QueueBroker, type QueueOf } from 'nest-redis-queue';
import type { Finding } from './finding.js';
import { DEPARTMENTS, inbox } from './queues.js';

/** How often the inbox is looked at, in milliseconds. */
const LOOK_EVERY_MS = 10;

/** Brings letters in, and counts them in the departments. */
@Injectable()
export class Letters {
  constructor(
    private readonly broker: QueueBroker,
    @InjectQueue(inbox) private readonly queue: QueueOf<typeof inbox>,
  ) {}

  /** Brings `count` letters in, one of them for nobody, and waits until all are sorted. */
  async bring(count: number): Promise<Finding[]> {
    const letters = Array.from(
      { length: count },
      (_, n) => `${DEPARTMENTS[n % DEPARTMENTS.length]}: letter ${n}`,
    );
    const ids = await this.queue.writeMany([...letters, 'nobody: a letter that comes back']);
    await this.untilSorted();
    return [orderOf(ids), await this.sorted(letters), await this.returned()];
  }

  private async untilSorted(): Promise<void> {
    while ((await this.queue.stats()).pending > 0) await pause(LOOK_EVERY_MS);
  }

  private async sorted(letters: readonly string[]): Promise<Finding> {
    const found = await Promise.all(DEPARTMENTS.map((name) => this.bodiesOf(name)));
    const wanted = DEPARTMENTS.map((name) => letters.filter((one) => one.startsWith(`${name}:`)));
    return {
      promise: 'each letter is in its department once, in the order in which it came',
      found: found.map((bodies, at) => `${DEPARTMENTS[at]} ${bodies.length}`).join(', '),
      holds: JSON.stringify(found) === JSON.stringify(wanted),
    };
  }

  private async bodiesOf(department: string): Promise<string[]> {
    const bodies: string[] = [];
    for await (const { body } of this.broker.queue(department).peekAll()) bodies.push(body);
    return bodies;
  }

  private async returned(): Promise<Finding> {
    const { dead } = await this.queue.stats();
    return {
      promise: 'a letter for nobody is a dead letter',
      found: `${dead} of them`,
      holds: dead === 1,
    };
  }
}

function orderOf(ids: readonly bigint[]): Finding {
  const isRising = ids.every((id, at) => at === 0 || id > ids[at - 1]);
  return {
    promise: 'ids are exact and rise with every letter',
    found: `${ids[0]} to ${ids[ids.length - 1]}`,
    holds: isRising,
  };
}
