import { stat } from 'node:fs/promises';
import { parseArgs } from 'node:util';

/** How the sample is called. */
export const USAGE = `usage: npm run sample:groups -- [FILE] [--workers N]

  FILE         order events to handle, as CSV (default: a file that is derived for this run)
  --workers N  how many worker processes share the work, 2 to 32 (default: 4)

REDIS_URL names the Redis to use; without it \`npm run sample:groups\` starts one that ends with it.`;

/** Someone called the sample in a way that it does not understand. */
export class UsageError extends Error {}

/** What this run works on, and with. */
export interface Settings {
  /** `undefined`: derive one. */
  readonly file: string | undefined;
  readonly workers: number;
  readonly redisUrl: string;
  /** Keys of this run alone. */
  readonly prefix: string;
}

/**
 * Reads the command line.
 *
 * @throws UsageError for a flag, a number or a file that cannot be used
 */
export async function readSettings(args: readonly string[]): Promise<Settings> {
  const { values, positionals } = parse(args);
  if (positionals.length > 1) throw new UsageError(`one file, not ${positionals.length}`);
  const workers = Number(values.workers);
  if (!/^\d+$/.test(values.workers) || workers < 2 || workers > 32) {
    throw new UsageError(`--workers ${values.workers}: expected a number from 2 to 32`);
  }
  return {
    file: await existingFile(positionals[0]),
    workers,
    redisUrl: process.env.REDIS_URL || 'redis://127.0.0.1:6379',
    prefix: `orders-${Date.now().toString(36)}-${process.pid}`,
  };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { workers: { type: 'string', default: '4' } },
    });
  } catch (error) {
    throw new UsageError((error as Error).message.split('. ', 1)[0]);
  }
}

async function existingFile(path: string | undefined): Promise<string | undefined> {
  if (path === undefined) return undefined;
  const found = await stat(path).catch(() => undefined);
  if (!found?.isFile()) throw new UsageError(`${path}: there is no such file`);
  return path;
}
