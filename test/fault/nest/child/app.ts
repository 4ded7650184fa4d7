// A Nest application of its own process. Says `ready`, `begin <id>` and `end <id>` for each run,
// and, where it is told to enqueue, the outcome of that.
import 'reflect-metadata';
import { setTimeout as pause } from 'node:timers/promises';
import { Inject, Injectable, Module, type OnApplicationBootstrap } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import {
  type Job,
  Process,
  Processor,
  QueueService,
  RedisQueueModule,
} from '../../../../lib/index.js';

/** What a test tells its application. */
export interface ChildAppSetup {
  readonly url: string;
  readonly prefix: string;
  readonly graceMs: number;
  /** How long a handler takes. */
  readonly workMs: number;
  readonly leaseMs?: number;
  /** Whether it adds a job while it starts. */
  readonly enqueues?: boolean;
  /** Closes by itself so long after it is ready. */
  readonly closeAfterMs?: number;
}

const setup = JSON.parse(process.env.SETUP!) as ChildAppSetup;

function say(word: string): void {
  process.stdout.write(`${word}\n`);
}

@Processor({ engine: 'jobs', queue: 'work', concurrency: 5, leaseMs: setup.leaseMs ?? 15_000 })
class Worker {
  @Process() async work({ id }: Job): Promise<void> {
    say(`begin ${id}`);
    await pause(setup.workMs);
    say(`end ${id}`);
  }
}

@Injectable()
class Producer implements OnApplicationBootstrap {
  constructor(@Inject(QueueService) private readonly queues: QueueService) {}

  onApplicationBootstrap(): void {
    if (setup.enqueues) void this.enqueue();
  }

  private async enqueue(): Promise<void> {
    const begun = performance.now();
    const outcome = await this.queues.enqueue('work', 'any', null).then(
      () => 'ok',
      (error: Error) => error.name,
    );
    say(`enqueue ${outcome} ${performance.now() - begun < 4_000 ? 'in time' : 'too late'}`);
  }
}

@Module({
  imports: [
    RedisQueueModule.forRoot({
      connection: { url: setup.url },
      prefix: setup.prefix,
      shutdownGraceMs: setup.graceMs,
      connectTimeoutMs: 500,
      commandTimeoutMs: 1_000,
      jobs: { promoteEveryMs: 100 },
    }),
  ],
  providers: [Worker, Producer],
})
class App {}

const app = await NestFactory.createApplicationContext(App, { logger: false });
app.enableShutdownHooks();
say('ready');
if (setup.closeAfterMs !== undefined) {
  await pause(setup.closeAfterMs);
  await app.close();
  say('closed');
}
