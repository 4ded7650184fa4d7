import { setTimeout as pause } from 'node:timers/promises';
import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { AppModule } from './app.module.js';
import { AuditLog } from './audit.log.js';
import { LEASE_MS } from './audit.stream.js';
import { Ledger } from './ledger.js';
import { count, hasSeenAll, reportOf } from './report.js';
import { readSettings, type Settings, USAGE, UsageError } from './settings.js';
import { WorkerPool } from './worker-pool.js';

/** How often the work that is left is looked at, in milliseconds. */
const LOOK_EVERY_MS = 20;

/** 0 both groups have seen all, 1 something went wrong, 2 wrong call. */
process.exitCode = await main(process.argv.slice(2));

async function main(args: readonly string[]): Promise<number> {
  try {
    return await keepLog(await readSettings(args));
  } catch (error) {
    const isUsage = error instanceof UsageError;
    console.error((error as Error).message + (isUsage ? `\n\n${USAGE}` : ''));
    return isUsage ? 2 : 1;
  }
}

async function keepLog(settings: Settings): Promise<number> {
  const app = await NestFactory.createApplicationContext(AppModule.for(settings), {
    logger: ['error', 'warn'],
    abortOnError: false,
  });
  const pool = new WorkerPool(settings);
  try {
    return await run(app, pool, settings.folder);
  } finally {
    await pool.stop();
    await app
      .get(Ledger)
      .clear()
      .catch(() => undefined);
    await app.close();
  }
}

async function run(app: INestApplicationContext, pool: WorkerPool, folder: string) {
  const [log, ledger] = [app.get(AuditLog), app.get(Ledger)];
  await log.announce(['index', 'totals']);
  const written = await log.write(folder);
  console.log(`${count(written.entries)} entries are written`);
  const workers = await Promise.all(['totals', 'totals', 'index'].map((name) => pool.start(name)));
  console.log('one worker of the slow group and two of the other read them');
  await until(async () => (await ledger.count('totals')) >= written.entries / 4);
  await pool.kill(workers[0]);
  console.log(
    `one is killed; what it held goes to the other one within ${LEASE_MS / 1_000} s and a second`,
  );
  await until(() => log.isSettled());
  const [index, totals] = [await ledger.seenBy('index'), await ledger.seenBy('totals')];
  console.log(reportOf(written, { index, totals }));
  const isAll = hasSeenAll(index, written) && hasSeenAll(totals, written);
  return isAll && (await log.deadLetters()) === 0 ? 0 : 1;
}

async function until(isOver: () => Promise<boolean>): Promise<void> {
  while (!(await isOver())) await pause(LOOK_EVERY_MS);
}
