import { Injectable } from '@nestjs/common';
import { type HeldMessage, QueueBroker, UnrecoverableError } from 'nest-redis-queue';
import { departmentOf, inbox } from './queues.js';

/**
 * Sorts the letters of the inbox.
 *
 * A letter is held while it is sorted, and claimed by the ack after it: one that is in the hands
 * of a sorter who drops dead is sorted again.
 */
@Injectable()
@inbox.Processor({ concurrency: 1 })
export class SorterProcessor {
  constructor(private readonly broker: QueueBroker) {}

  @inbox.Process()
  async sort({ payload }: HeldMessage): Promise<void> {
    await this.broker.write(this.addressee(payload), payload);
  }

  /** A letter for nobody goes to the dead letters at once. */
  private addressee(letter: string): string {
    try {
      return departmentOf(letter);
    } catch (cause) {
      throw new UnrecoverableError((cause as Error).message, { cause });
    }
  }
}
