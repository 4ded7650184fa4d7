import { NestFactory } from '@nestjs/core';
import { AppModule } from './app.module.js';
import { IngestRun } from './ingest.run.js';
import { Screen } from './screen.js';
import { readSettings, type Settings, USAGE, UsageError } from './settings.js';

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/** 0 all files ended, 1 something went wrong, 2 wrong call, 130 stopped (as shells say it). */
process.exitCode = await main(process.argv.slice(2));

async function main(args: readonly string[]): Promise<number> {
  try {
    return await ingest(await readSettings(args));
  } catch (error) {
    const isUsage = error instanceof UsageError;
    console.error((error as Error).message + (isUsage ? `\n\n${USAGE}` : ''));
    return isUsage ? 2 : 1;
  }
}

async function ingest(settings: Settings): Promise<number> {
  const screen = new Screen();
  const app = await NestFactory.createApplicationContext(AppModule.for(settings, screen), {
    logger: false, // an error at the start is thrown, and told by `main` alone
    abortOnError: false,
  });
  app.useLogger(screen);
  const run = app.get(IngestRun);
  // On a signal Nest closes the application, which drains the processors, and then sends the
  // signal once more to end the process; the run itself only has to stop putting jobs in.
  app.enableShutdownHooks([...SIGNALS]);
  for (const signal of SIGNALS) process.once(signal, () => run.stop());
  try {
    const addsUp = await run.toEnd();
    if (addsUp === undefined) return 130;
    return addsUp ? 0 : 1;
  } finally {
    if (!run.isStopped) await app.close();
  }
}
