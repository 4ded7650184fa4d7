import { createHash } from 'node:crypto';
import { realpath, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';

/** How the sample is called. */
export const USAGE = `usage: npm run sample -- [FOLDER] [--concurrency N]

  FOLDER          what to take in (default: node_modules)
  --concurrency N how many files are worked on at once, 1 to 1000 (default: 8)

REDIS_URL names the Redis to use; without it \`npm run sample\` starts one that ends with it.`;

/** Someone called the sample in a way that it does not understand. */
export class UsageError extends Error {}

/** What this run works on. */
export class Settings {
  constructor(
    /** Absolute, links resolved: the same folder has the same name at every start. */
    readonly folder: string,
    readonly concurrency: number,
    readonly redisUrl: string,
  ) {}

  /** Each folder has keys of its own: a second start finds its work there, another folder does not. */
  get prefix(): string {
    return `ingest-${createHash('sha256').update(this.folder).digest('hex').slice(0, 12)}`;
  }
}

/**
 * Reads the command line.
 *
 * @throws UsageError for a flag, a number or a folder that cannot be used
 */
export async function readSettings(args: readonly string[]): Promise<Settings> {
  const { values, positionals } = parse(args);
  if (positionals.length > 1) throw new UsageError(`one folder, not ${positionals.length}`);
  const concurrency = Number(values.concurrency);
  if (!/^\d+$/.test(values.concurrency) || concurrency < 1 || concurrency > 1_000) {
    throw new UsageError(`--concurrency ${values.concurrency}: expected a number from 1 to 1000`);
  }
  const folder = await existingFolder(resolve(positionals[0] ?? 'node_modules'));
  return new Settings(folder, concurrency, process.env.REDIS_URL || 'redis://127.0.0.1:6379');
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { concurrency: { type: 'string', default: '8' } },
    });
  } catch (error) {
    // the rest of Node's text explains a case that does not exist here
    throw new UsageError((error as Error).message.split('. ', 1)[0]);
  }
}

async function existingFolder(path: string): Promise<string> {
  const found = await stat(path).catch(() => undefined);
  if (!found?.isDirectory()) throw new UsageError(`${path}: there is no such folder`);
  return realpath(path);
}
