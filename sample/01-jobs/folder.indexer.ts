import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { InjectQueue, type QueueOf } from 'nest-redis-queue';
import { walkFolder } from './folder-walk.js';
import { ingest, PRIORITY } from './ingest.queue.js';
import { Screen } from './screen.js';
import { Settings } from './settings.js';

/** What a walk through the folder came to. */
export interface IndexReport {
  readonly found: number;
  /** How many of them the queue did not know yet. */
  readonly created: number;
}

/** One round trip takes in a batch, and no more than that is held in memory. */
const BATCH_SIZE = 250;

/** Puts a job a file into the queue. */
@Injectable()
export class FolderIndexer {
  constructor(
    private readonly settings: Settings,
    private readonly screen: Screen,
    @InjectQueue(ingest) private readonly queue: QueueOf<typeof ingest>,
  ) {}

  /**
   * Walks the folder and enqueues what is new; the files of an earlier start are known by their
   * ids and left as they are, done, failed or waiting.
   *
   * @throws the signal's reason once it aborts
   */
  async index(signal: AbortSignal): Promise<IndexReport> {
    let found = 0;
    let created = 0;
    const onUnreadable = (error: Error) => this.screen.say(`left out: ${error.message}`);
    const batches = walkFolder(this.settings.folder, { batchSize: BATCH_SIZE, onUnreadable });
    for await (const paths of batches) {
      signal.throwIfAborted();
      found += paths.length;
      created += await this.enqueue(paths);
    }
    return { found, created };
  }

  private async enqueue(paths: readonly string[]): Promise<number> {
    const results = await this.queue.addMany(
      paths.map((path) => ({ type: 'file', payload: { path }, id: idOf(path) })),
    );
    if (results.at(-1)?.created) await this.openLast(paths);
    return results.filter(({ created }) => created).length;
  }

  /** Someone opens the very file that has all the others before it, and does not want to wait. */
  private async openLast(paths: readonly string[]): Promise<void> {
    const path = paths[paths.length - 1];
    await this.queue.add('preview', { path }, { priority: PRIORITY.someoneWaits });
  }
}

/** A path may be longer than an id, so the id is its hash: the same at every start. */
function idOf(path: string): string {
  return `file-${createHash('sha256').update(path).digest('base64url').slice(0, 24)}`;
}
