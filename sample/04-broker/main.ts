import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { QueueBroker } from 'nest-redis-queue';
import { AppModule } from './app.module.js';
import { Clerks } from './clerks.js';
import { type Finding, reportOf } from './finding.js';
import { FrontDesk } from './front-desk.js';
import { Letters } from './letters.js';
import { Messenger } from './messenger.js';
import { Notices } from './notices.js';
import { Scale } from './scale.js';
import { readSettings, type Settings, USAGE, UsageError } from './settings.js';

/** 0 every guarantee held, 1 one did not or something went wrong, 2 wrong call. */
process.exitCode = await main(process.argv.slice(2));

async function main(args: readonly string[]): Promise<number> {
  try {
    return await runMailroom(readSettings(args));
  } catch (error) {
    const isUsage = error instanceof UsageError;
    console.error((error as Error).message + (isUsage ? `\n\n${USAGE}` : ''));
    return isUsage ? 2 : 1;
  }
}

async function runMailroom(settings: Settings): Promise<number> {
  const app = await NestFactory.createApplicationContext(AppModule.for(settings), {
    logger: ['warn'], // the letter for nobody is meant to fail
    abortOnError: false,
  });
  try {
    const findings = await leavingNoKey(app.get(QueueBroker), () => aDayOf(app, settings));
    console.log(reportOf(findings));
    return findings.every(({ holds }) => holds) ? 0 : 1;
  } finally {
    await app.close();
  }
}

/** Also when the day goes wrong. */
async function leavingNoKey<T>(broker: QueueBroker, day: () => Promise<T>): Promise<T> {
  try {
    return await day();
  } finally {
    await broker.cleanUp();
  }
}

async function aDayOf(app: INestApplicationContext, { letters }: Settings): Promise<Finding[]> {
  return [
    ...(await app.get(Letters).bring(letters)),
    ...(await app.get(Notices).putUp()),
    ...(await app.get(FrontDesk).move()),
    ...(await app.get(Scale).weigh()),
    ...(await app.get(Clerks).work()),
    ...(await app.get(Messenger).run()),
  ];
}
