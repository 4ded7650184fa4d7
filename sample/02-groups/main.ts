import { setTimeout as pause } from 'node:timers/promises';
import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { AppModule } from './app.module.js';
import { Books } from './books.js';
import { OrderFile } from './order-file.js';
import { OrderProducer } from './order.producer.js';
import { isProven, prove } from './proof.js';
import { count, reportOf } from './report.js';
import { readSettings, type Settings, USAGE, UsageError } from './settings.js';
import { WorkerPool } from './worker-pool.js';

/** How often the work that is left is looked at, in milliseconds. */
const LOOK_EVERY_MS = 20;

/** 0 proven, 1 something went wrong, 2 wrong call. */
process.exitCode = await main(process.argv.slice(2));

async function main(args: readonly string[]): Promise<number> {
  try {
    return await handleAll(await readSettings(args));
  } catch (error) {
    const isUsage = error instanceof UsageError;
    console.error((error as Error).message + (isUsage ? `\n\n${USAGE}` : ''));
    return isUsage ? 2 : 1;
  }
}

async function handleAll(settings: Settings): Promise<number> {
  const app = await NestFactory.createApplicationContext(AppModule.for(settings), {
    logger: ['error', 'warn'],
    abortOnError: false,
  });
  const file = await OrderFile.open(settings.file);
  const pool = new WorkerPool(settings);
  try {
    return await run(app, { file, pool, workers: settings.workers });
  } finally {
    await pool.stop();
    await file.close();
    await app
      .get(Books)
      .clear()
      .catch(() => undefined);
    await app.close();
  }
}

interface Cast {
  readonly file: OrderFile;
  readonly pool: WorkerPool;
  readonly workers: number;
}

async function run(app: INestApplicationContext, { file, pool, workers }: Cast): Promise<number> {
  const producer = app.get(OrderProducer);
  const startedAt = performance.now();
  const customers = await producer.publish(file);
  const events = await producer.left();
  console.log(`${count(events)} events of ${count(customers.size)} customers are published`);
  await pool.start(workers);
  console.log(`${workers} worker processes share the customers`);
  await untilLeft(producer, events / 2);
  const killed = await pool.killOne();
  console.log(`${killed} is killed with ${count(await producer.left())} events to go`);
  await untilLeft(producer, 0);
  const proof = await prove(app.get(Books), customers);
  console.log(reportOf(proof, killed, performance.now() - startedAt));
  return isProven(proof) ? 0 : 1;
}

async function untilLeft(producer: OrderProducer, wanted: number): Promise<void> {
  while ((await producer.left()) > wanted) await pause(LOOK_EVERY_MS);
}
