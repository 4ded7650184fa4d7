// A worker process: it is started by `WorkerPool`, and stops when it is told to or when the
// process that started it is gone.
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { RedisQueueModule } from 'nest-redis-queue';
import { Books } from './books.js';
import { OrderProcessor } from './order.processor.js';

const { REDIS_URL: url = '', PREFIX: prefix = '' } = process.env;

@Module({
  imports: [RedisQueueModule.forRoot({ connection: { url }, prefix, role: 'worker' })],
  providers: [{ provide: Books, useFactory: () => new Books(url, prefix) }, OrderProcessor],
})
class WorkerModule {}

const app = await NestFactory.createApplicationContext(WorkerModule, { logger: ['error', 'warn'] });

let isClosing = false;
async function stop(): Promise<void> {
  if (isClosing) return;
  isClosing = true;
  await app.close(); // drains: what runs ends, what does not goes back
  process.exit(0);
}
process.once('message', () => void stop());
process.once('disconnect', () => void stop());
process.on('SIGINT', () => undefined); // a Ctrl-C reaches us too, but our starter decides
process.send?.('ready');
