import { randomUUID } from 'node:crypto';
import { realpath, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';

/** How the sample is called. */
export const USAGE = `usage: npm run sample:streams -- [FOLDER]

  FOLDER  the lines of its text files are the log (default: lib)

REDIS_URL names the Redis to use; without it \`npm run sample:streams\` starts one that ends with it.`;

/** Someone called the sample in a way that it does not understand. */
export class UsageError extends Error {}

/** What this run works on. */
export interface Settings {
  readonly folder: string;
  readonly redisUrl: string;
  /** Of this run alone, so that a second one does not get into its way. */
  readonly prefix: string;
}

/**
 * Reads the command line.
 *
 * @throws UsageError for a flag or a folder that cannot be used
 */
export async function readSettings(args: readonly string[]): Promise<Settings> {
  const folders = parse(args);
  if (folders.length > 1) throw new UsageError(`one folder, not ${folders.length}`);
  return {
    folder: await existingFolder(folders[0] ?? 'lib'),
    redisUrl: process.env.REDIS_URL || 'redis://127.0.0.1:6379',
    prefix: `audit-${randomUUID()}`,
  };
}

function parse(args: readonly string[]): string[] {
  try {
    return parseArgs({ args: [...args], allowPositionals: true, options: {} }).positionals;
  } catch (error) {
    // the rest of Node's text explains a case that does not exist here
    throw new UsageError((error as Error).message.split('. ', 1)[0]);
  }
}

async function existingFolder(path: string): Promise<string> {
  const found = await stat(path).catch(() => undefined);
  if (!found?.isDirectory()) throw new UsageError(`${path}: there is no such folder`);
  return realpath(resolve(path));
}
