import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** How a folder is walked. */
export interface WalkOptions {
  /** How many paths come at a time. */
  readonly batchSize: number;
  /** Told of each folder that cannot be read; the walk goes on without it. */
  readonly onUnreadable: (error: Error) => void;
}

/**
 * The files below a folder, as paths relative to it, a batch at a time.
 *
 * Holds one batch, one folder's entries and the names of folders still to visit, however many
 * files there are. `opendir`, which holds fewer entries, takes four calls a folder and not one; the
 * walk then hardly keeps ahead of the processor. Links are not followed: they could lead in circles.
 */
export async function* walkFolder(root: string, options: WalkOptions): AsyncGenerator<string[]> {
  const folders = [''];
  let batch: string[] = [];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for await (const entry of entriesOf(join(root, folder), options)) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) folders.push(path);
      if (entry.isFile()) batch.push(path);
      if (batch.length < options.batchSize) continue;
      yield batch;
      batch = [];
    }
  }
  if (batch.length > 0) yield batch;
}

async function* entriesOf(path: string, { onUnreadable }: WalkOptions): AsyncGenerator<Dirent> {
  try {
    yield* await readdir(path, { withFileTypes: true });
  } catch (error) {
    onUnreadable(error as Error);
  }
}
