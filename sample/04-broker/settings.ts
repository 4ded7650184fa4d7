import { randomUUID } from 'node:crypto';
import { parseArgs } from 'node:util';

/** How the sample is called. */
export const USAGE = `usage: npm run sample:broker -- [--letters <count>]

  --letters <count>   how many letters come in, 30 to 100000 (default 300)

REDIS_URL names the server; without it a server of the sample's own is started.`;

/** What the caller got wrong. */
export class UsageError extends Error {}

/** What one run needs to know. */
export interface Settings {
  readonly redisUrl: string;
  /** A key prefix of this run alone. */
  readonly prefix: string;
  readonly letters: number;
}

/** Reads the command line. @throws UsageError */
export function readSettings(args: readonly string[]): Settings {
  return {
    redisUrl: process.env.REDIS_URL ?? 'redis://localhost:6379',
    prefix: `mailroom-${randomUUID()}`,
    letters: lettersOf(args),
  };
}

function lettersOf(args: readonly string[]): number {
  const { letters } = parse(args);
  if (letters === undefined) return 300;
  const count = Number(letters);
  if (Number.isInteger(count) && count >= 30 && count <= 100_000) return count;
  throw new UsageError(`--letters ${letters}: expected a number from 30 to 100000`);
}

function parse(args: readonly string[]): { letters?: string } {
  try {
    return parseArgs({ args: [...args], options: { letters: { type: 'string' } } }).values;
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}
