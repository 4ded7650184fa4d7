import {
  type BeforeApplicationShutdown,
  Global,
  Inject,
  Injectable,
  Module,
  type OnModuleDestroy,
  type Type,
} from '@nestjs/common';
import { createServer, type Socket } from 'node:net';
import {
  type Job,
  Process,
  type ProcessContext,
  Processor,
  QueueService,
  RedisQueueModule,
} from '../../lib/index.js';
import { compile, eventually, options, pause, Signal, start } from './fixture.js';

const log: string[] = [];
let started = new Signal();
let finish = new Signal();

beforeEach(() => {
  log.splice(0);
  started = new Signal();
  finish = new Signal();
});

@Injectable()
class Database implements OnModuleDestroy, BeforeApplicationShutdown {
  private isOpen = true;

  write(what: string): void {
    if (!this.isOpen) throw new Error('the database is closed');
    log.push(what);
  }

  onModuleDestroy(): void {
    this.isOpen = false;
    log.push('database closed');
  }

  beforeApplicationShutdown(): void {
    log.push('shutdown');
  }
}

@Processor({ engine: 'jobs', queue: 'orders' })
class Orders {
  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(QueueService) private readonly queues: QueueService,
  ) {}

  @Process('order')
  async order(job: Job): Promise<void> {
    started.resolve();
    await finish.promise;
    await this.queues.enqueue('invoices', 'invoice', job.payload);
    this.database.write('written');
  }
}

@Module({ providers: [Database], exports: [Database] })
class DatabaseModule {}

@Global()
@Module({ providers: [Database], exports: [Database] })
class GlobalDatabaseModule {}

const PLACES: [string, (queues: object) => Type<object>][] = [
  [
    'everything in the root module',
    (queues) => {
      @Module({ imports: [queues as never], providers: [Database, Orders] })
      class Root {}
      return Root;
    },
  ],
  [
    'the database in a module imported after the queues',
    (queues) => {
      @Module({ imports: [DatabaseModule], providers: [Orders] })
      class OrdersModule {}
      @Module({ imports: [queues as never, OrdersModule] })
      class Root {}
      return Root;
    },
  ],
  [
    'the database in the root and in a global module, the queues deep down',
    (queues) => {
      @Module({ imports: [queues as never], providers: [Orders] })
      class OrdersModule {}
      @Module({ imports: [OrdersModule] })
      class Middle {}
      @Module({ imports: [Middle, GlobalDatabaseModule], providers: [Database] })
      class Root {}
      return Root;
    },
  ],
];

describe('closing waits for running handlers before anything is destroyed', () => {
  it.each(PLACES)('%s', async (_, rootWith) => {
    const root = options();
    const app = await start({ imports: [rootWith(RedisQueueModule.forRoot(root))] });
    const queues = app.get(QueueService);
    await queues.enqueue('orders', 'order', 7);
    await queues.enqueue('orders', 'order', 8);
    await started.promise;
    const closing = app.close();
    setTimeout(() => finish.resolve(), 50);
    await closing;
    expect(log[0]).toBe('written');
    expect(log.filter((entry) => entry === 'written')).toHaveLength(1);

    const after = await start({
      imports: [RedisQueueModule.forRoot({ ...root, role: 'producer' })],
    });
    expect(await after.get(QueueService).stats('orders')).toMatchObject({ done: 1, pending: 1 });
    expect(await after.get(QueueService).stats('invoices')).toMatchObject({ pending: 1 });
  });

  it('also when it is closed twice at once', async () => {
    const [, rootWith] = PLACES[0];
    const app = await start({ imports: [rootWith(RedisQueueModule.forRoot(options()))] });
    await app.get(QueueService).enqueue('orders', 'order', 7);
    await started.promise;
    const closing = Promise.all([app.close(), app.close()]);
    finish.resolve();
    await closing;
    await app.close();
    expect(log[0]).toBe('written');
  });
});

describe('past shutdownGraceMs', () => {
  it('the signal aborts and the job goes back with its attempt', async () => {
    const aborted = new Signal<unknown>();
    const begun = new Signal();
    @Processor({ engine: 'jobs', queue: 'long' })
    class Long {
      @Process() async run(_job: Job, { signal }: ProcessContext): Promise<void> {
        signal.addEventListener('abort', () => aborted.resolve(signal.reason));
        begun.resolve();
        await new Promise(() => undefined);
      }
    }
    const root = options({ shutdownGraceMs: 100 });
    const app = await start({ imports: [RedisQueueModule.forRoot(root)], providers: [Long] });
    const { id } = await app.get(QueueService).enqueue('long', 'any', null);
    await begun.promise;
    const before = Date.now();
    await app.close();
    expect(Date.now() - before).toBeLessThan(5_000);
    expect(await aborted.promise).toMatchObject({ code: 'SHUTDOWN' });

    const after = await start({
      imports: [RedisQueueModule.forRoot({ ...root, role: 'producer' })],
    });
    const job = await after.get(QueueService).queue('long').get(id);
    expect(job).toMatchObject({ status: 'pending', attempts: 0, lastError: null });
  });
});

describe('without Redis', () => {
  async function deadPort(): Promise<number> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    await new Promise((resolve) => server.close(resolve));
    return port;
  }

  @Processor({ engine: 'jobs', queue: 'idle' })
  class Idle {
    @Process() run(): void {}
  }

  it('the application starts, says so in its health, and closes within its limits', async () => {
    const port = await deadPort();
    const app = await compile({
      imports: [
        RedisQueueModule.forRoot(
          options({
            connection: { url: `redis://127.0.0.1:${port}` },
            connectTimeoutMs: 500,
            commandTimeoutMs: 500,
          }),
        ),
      ],
      providers: [Idle],
    });
    await app.init();
    const queues = app.get(QueueService);
    await expect(queues.enqueue('idle', 'any', 1)).rejects.toMatchObject({ retryable: true });
    await eventually(() => queues.health().loops[0]?.lastError);
    expect(queues.health().connected).toMatchObject({ jobs: false, groups: false });
    const before = Date.now();
    await app.close();
    expect(Date.now() - before).toBeLessThan(6_000);
  });

  it('closes while the server swallows what it is sent', async () => {
    const sockets = new Set<Socket>();
    const server = createServer((socket) => {
      socket.on('error', () => undefined);
      sockets.add(socket);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    const app = await start({
      imports: [
        RedisQueueModule.forRoot(
          options({
            connection: { url: `redis://127.0.0.1:${port}` },
            connectTimeoutMs: 300,
            commandTimeoutMs: 300,
            shutdownGraceMs: 200,
          }),
        ),
      ],
      providers: [Idle],
    });
    await pause(50);
    const before = Date.now();
    await app.close();
    expect(Date.now() - before).toBeLessThan(6_000);
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
});
