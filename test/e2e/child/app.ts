// An application of its own process; says on stdout how far it is, a word a line.
import 'reflect-metadata';
import {
  Inject,
  Injectable,
  Module,
  type OnModuleDestroy,
  type OnModuleInit,
} from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { Process, Processor, QueueService, RedisQueueModule } from '../../../lib/index.js';

const { REDIS_URL, PREFIX, SCENARIO, HOOKS, GRACE_MS, WORK_MS } = process.env;

function say(word: string): void {
  process.stdout.write(`${word}\n`);
}

@Injectable()
class Database implements OnModuleDestroy {
  isOpen = true;

  onModuleDestroy(): void {
    this.isOpen = false;
    say('destroyed');
  }
}

@Processor({ engine: 'jobs', queue: 'child', leaseMs: 1_500 })
class Worker {
  constructor(@Inject(Database) private readonly database: Database) {}

  @Process('work') async work(): Promise<void> {
    say('started');
    await new Promise((resolve) => setTimeout(resolve, Number(WORK_MS)));
    say(this.database.isOpen ? 'done' : 'too late');
  }
}

@Injectable()
class Doomed implements OnModuleInit {
  constructor(@Inject(QueueService) private readonly queues: QueueService) {}

  async onModuleInit(): Promise<void> {
    await this.queues.enqueue('child', 'work', null);
  }

  onApplicationBootstrap(): void {
    throw new Error('the database is not there');
  }
}

@Module({
  imports: [
    RedisQueueModule.forRoot({
      connection: { url: REDIS_URL! },
      prefix: PREFIX!,
      shutdownGraceMs: Number(GRACE_MS),
    }),
  ],
  providers: SCENARIO === 'doomed' ? [Database, Worker, Doomed] : [Database, Worker],
})
class App {}

try {
  const app = await NestFactory.createApplicationContext(App, {
    logger: false,
    abortOnError: false,
  });
  if (HOOKS === 'on') app.enableShutdownHooks();
  say('ready');
  if (SCENARIO === 'close') {
    await app.close();
    say('closed');
  }
} catch (error) {
  say((error as Error).message);
}
