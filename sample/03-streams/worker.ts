// A worker process of one group: it is started by `WorkerPool`, and stops when it is told to or
// when the process that started it is gone.
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { RedisQueueModule } from 'nest-redis-queue';
import { IndexProcessor } from './index.processor.js';
import { Ledger } from './ledger.js';
import { TotalsProcessor } from './totals.processor.js';

const { REDIS_URL: url = '', PREFIX: prefix = '', GROUP: group } = process.env;

@Module({
  imports: [
    RedisQueueModule.forRoot({
      connection: { url },
      prefix,
      role: 'worker',
      streams: { blockMs: 500, promoteEveryMs: 250 },
    }),
  ],
  providers: [
    { provide: Ledger, useFactory: () => new Ledger(url, prefix) },
    group === 'index' ? IndexProcessor : TotalsProcessor,
  ],
})
class WorkerModule {}

const app = await NestFactory.createApplicationContext(WorkerModule, { logger: ['error', 'warn'] });

let isClosing = false;
async function stop(): Promise<void> {
  if (isClosing) return;
  isClosing = true;
  await app.close(); // drains: what runs ends, what was taken ahead goes back
  process.exit(0);
}
process.once('message', () => void stop());
process.once('disconnect', () => void stop());
process.on('SIGINT', () => undefined); // a Ctrl-C reaches us too, but our starter decides
process.send?.('ready');
