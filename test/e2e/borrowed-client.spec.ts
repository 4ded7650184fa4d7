import { Redis } from 'ioredis';
import {
  getQueueServiceToken,
  Process,
  Processor,
  QueueService,
  RedisQueueModule,
} from '../../lib/index.js';
import { eventually, options, start, url } from './fixture.js';

@Processor({ engine: 'jobs', queue: 'borrowed' })
class Worker {
  @Process('work') work(): void {}
}

// An instance of its own name, to tell its connections on the server from those of other tests.
@Processor({ engine: 'jobs', queue: 'borrowed', instance: 'borrower' })
class BorrowerWorker extends Worker {}

async function application(client: Redis) {
  const root = options({ connection: { client } });
  const app = await start({ imports: [RedisQueueModule.forRoot(root)], providers: [Worker] });
  await workOnce(app.get(QueueService));
  return app;
}

async function workOnce(queues: QueueService): Promise<void> {
  await queues.enqueue('borrowed', 'work', 1);
  await eventually(async () => (await queues.stats('borrowed')).done === 1);
}

/** The names of all connections that the client's server has open, but for our own look. */
async function connectionNames(client: Redis): Promise<string[]> {
  const list = String(await client.client('LIST'));
  return [...list.matchAll(/ name=(\S+)/g)].map(([, name]) => name);
}

describe('a client handed over to forRoot', () => {
  it('is quit as the last step of the shutdown', async () => {
    const client = new Redis(url);
    const app = await application(client);
    expect(client.status).toBe('ready');
    await app.close();
    await eventually(() => client.status === 'end');
  });

  it('stays open with closeBorrowedClient: false, while all duplicates are closed', async () => {
    const client = new Redis(url);
    const root = options({ connection: { client }, name: 'borrower', closeBorrowedClient: false });
    const app = await start({
      imports: [RedisQueueModule.forRoot(root)],
      providers: [BorrowerWorker],
    });
    await workOnce(app.get(getQueueServiceToken('borrower')));
    const ours = async () =>
      (await connectionNames(client)).filter((name) => name.includes('borrower'));
    expect(await ours()).not.toEqual([]);
    await app.close();
    expect(await client.ping()).toBe('PONG');
    await eventually(async () => (await ours()).length === 0);
    await client.quit();
  });

  it('may be closed already', async () => {
    const client = new Redis(url);
    const app = await application(client);
    await client.quit();
    await app.close();
    await app.close();
  });

  it('is still there for what closes after the queues', async () => {
    const client = new Redis(url);
    let answer = '';
    class Late {
      async beforeApplicationShutdown() {
        answer = await client.ping();
      }
    }
    const root = options({ connection: { client } });
    const app = await start({
      imports: [RedisQueueModule.forRoot(root)],
      providers: [Worker, Late],
    });
    await app.close();
    expect(answer).toBe('PONG');
  });
});
