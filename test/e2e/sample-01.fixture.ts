import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { Settings } from '../../sample/01-jobs/settings.js';
import { REDIS_URL } from '../support/test-prefix.js';

/** A folder of made files for the sample to take in. */
export interface MadeFolder {
  readonly path: string;
  /** The prefix of the keys that a run over it uses. */
  readonly prefix: string;
  /** Removes the folder and the keys. */
  remove(): Promise<void>;
}

const FILES_A_FOLDER = 100;

/** Makes `files` files in nested folders, each with some bytes of its own. */
export async function makeFolder(files: number): Promise<MadeFolder> {
  const path = await realpath(await mkdtemp(join(tmpdir(), 'rq-ingest-')));
  for (let at = 0; at < files; at += FILES_A_FOLDER) {
    const folder = join(path, `part ${at / FILES_A_FOLDER}`, 'deep');
    await mkdir(folder, { recursive: true });
    const names = Array.from({ length: Math.min(FILES_A_FOLDER, files - at) }, (_, n) => at + n);
    await Promise.all(names.map((n) => writeFile(join(folder, `${n}.txt`), contentOf(n))));
  }
  const { prefix } = new Settings(path, 1, REDIS_URL);
  return { path, prefix, remove: () => remove(path, prefix) };
}

/** What the file of that number holds. */
export function contentOf(n: number): string {
  return `file ${n}\n`.repeat((n % 50) + 1);
}

/** As the sample keeps it. */
export function sha256Of(content: string): string {
  return createHash('sha256').update(content).digest('hex');
}

async function remove(path: string, prefix: string): Promise<void> {
  await rm(path, { recursive: true, force: true });
  const redis = new Redis(REDIS_URL);
  const keys = await redis.keys(`${prefix}:*`);
  if (keys.length > 0) await redis.unlink(keys);
  await redis.quit();
}

/** The row of a table by its first cell: the numbers in it. */
export function rowOf(output: string, name: string): number[] {
  const line = output.split('\n').find((one) => one.startsWith(`${name} `)) ?? '';
  return [...line.matchAll(/[\d,]+/g)].map(([digits]) => Number(digits.replaceAll(',', '')));
}
