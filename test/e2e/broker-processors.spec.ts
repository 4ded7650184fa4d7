import { Inject, Injectable } from '@nestjs/common';
import {
  BROKER_API_VERSION,
  type BrokerBackend,
  type BrokerOptions,
  type BrokerQueue,
  defineQueue,
  getEngineToken,
  type HeldMessage,
  InjectQueue,
  Process,
  type ProcessContext,
  Processor,
  QueueBroker,
  type QueueOf,
  QueueService,
  RedisQueueModule,
} from '../../lib/index.js';
import { freePort } from '../support/redis-server.js';
import { eventually, options, Signal, start, startWith, url } from './fixture.js';

const inbox = defineQueue<string>({ engine: 'broker', name: 'inbox' });

@Injectable()
@inbox.Processor({ retry: { attempts: 2, backoff: { type: 'fixed', delayMs: 1 } } })
class InboxProcessor {
  readonly seen: HeldMessage[] = [];
  readonly contexts: ProcessContext[] = [];

  @inbox.Process()
  async handle(message: HeldMessage, context: ProcessContext): Promise<void> {
    this.seen.push(message);
    this.contexts.push(context);
    await context.extend();
    if (message.payload === 'bad') throw new Error('no such letter');
  }
}

@Injectable()
class Producer {
  constructor(
    readonly queues: QueueService,
    @InjectQueue(inbox) readonly queue: QueueOf<typeof inbox>,
    @Inject(QueueBroker) readonly broker: QueueBroker,
  ) {}
}

it('runs what is written to a broker queue, and keeps it claimed', async () => {
  const app = await start({
    imports: [RedisQueueModule.forRoot(options()), RedisQueueModule.forFeature([inbox])],
    providers: [InboxProcessor, Producer],
  });
  const { queue, queues, broker } = app.get(Producer);
  const ids = [
    await queue.write('by handle'),
    await queues.write(inbox, 'by definition'),
    await queues.write('inbox', 'by name'),
    await broker.write('inbox', 'by broker'),
  ];
  const processor = app.get(InboxProcessor);
  await eventually(() => processor.seen.length === 4);
  expect(processor.seen.map(({ messageId }) => messageId)).toEqual(ids);
  expect(processor.seen[0]).toMatchObject({ queue: 'inbox', name: '', attempt: 1 });
  expect(processor.contexts[1].fence).toBeGreaterThan(processor.contexts[0].fence);
  await eventually(async () => (await queues.stats(inbox)).claimed === 4);
  expect(queues.health().connected.broker).toBe(true);
});

it('gives up a message after its attempts', async () => {
  const app = await startWith(options(), InboxProcessor);
  const queue: BrokerQueue = app.get(QueueBroker).queue('inbox');
  await queue.write('bad');
  await eventually(async () => (await queue.stats()).dead === 1);
  expect(app.get(InboxProcessor).seen.map(({ attempt }) => attempt)).toEqual([1, 2]);
});

it('shows, redrives and drops what was given up, by the handle of the queue or of its alias', async () => {
  const app = await start({
    imports: [RedisQueueModule.forRoot(options()), RedisQueueModule.forFeature([inbox])],
    providers: [InboxProcessor, Producer],
  });
  const { queue, broker } = app.get(Producer);
  await broker.aliases.add('letters', 'inbox');
  const aliased = broker.queue('@letters');
  await queue.write('bad');
  await eventually(async () => (await queue.deadLetters.count()) === 1);
  const [letter] = await aliased.deadLetters.list();
  expect(letter).toMatchObject({ payload: 'bad', attempts: 2, headers: {} });
  expect(letter.reason).toContain('no such letter');
  expect(await aliased.deadLetters.redrive(letter.id)).toBe(true);
  await eventually(async () => (await aliased.deadLetters.list())[0]?.attempts === 3);
  expect(await queue.deadLetters.drop(letter.id)).toBe(true);
  expect(await queue.deadLetters.drop(letter.id)).toBe(false);
  expect(await aliased.deadLetters.list()).toEqual([]);
});

it('writes while batches of the same queue are open in the same process', async () => {
  const app = await start({ imports: [RedisQueueModule.forRoot(options())], providers: [] });
  const queues = app.get(QueueService);
  await queues.write(inbox, 'first');
  const dropped = queues.queue(inbox).readAll({ guarantee: 'at-least-once' });
  expect((await dropped.next()).value).toMatchObject({ body: 'first' });
  await queues.write(inbox, 'second');
  await queues.write('inbox', 'third', { keepNewest: 9 });
  expect((await queues.queue(inbox).read())?.body).toBe('second');
  await dropped.return();
  expect(await queues.stats(inbox)).toMatchObject({ pending: 2, claimed: 1, reserved: 0 });
});

it('goes on after its injected broker was closed, which only stops its watchers', async () => {
  const app = await startWith(options(), InboxProcessor);
  const broker = app.get(QueueBroker);
  const watcher = broker.queue('watched').watch({ handler: () => undefined });
  await broker.close();
  await watcher.done;
  await broker.write('inbox', 'still here');
  await eventually(() => app.get(InboxProcessor).seen.length === 1);
  await eventually(async () => (await broker.queue('inbox').stats()).claimed === 1);
});

it('does not wait for the handler of a watcher that never ends', async () => {
  const root = options({ shutdownGraceMs: 300 });
  const app = await startWith(root);
  const started = new Signal();
  const broker = app.get(QueueBroker);
  broker.queue('watched').watch({
    handler: () => {
      started.resolve();
      return new Promise<never>(() => undefined);
    },
  });
  await broker.write('watched', 'x');
  await started.promise;
  const begun = performance.now();
  await app.close();
  expect(performance.now() - begun).toBeLessThan(5_000);
});

it('closes a backend extension at the end, and asks it whether it is connected', async () => {
  let isConnected = false;
  let closed = 0;
  const backend = {
    name: 'the extension X',
    apiVersion: BROKER_API_VERSION,
    get connected() {
      return isConnected;
    },
    write: () => Promise.resolve(1n),
    close: () => Promise.resolve(void closed++),
  };
  const connection = { url: `redis://127.0.0.1:${await freePort()}` };
  const extended = { broker: { backend: backend as unknown as BrokerBackend } };
  const app = await startWith(options({ connection, ...extended }));
  const queues = app.get(QueueService);
  expect(await queues.write('inbox', 'x')).toBe(1n);
  expect(queues.health().connected).toMatchObject({ broker: false, jobs: false });
  isConnected = true;
  expect(queues.health().connected).toMatchObject({ broker: true, jobs: false });
  await app.close();
  expect(closed).toBe(1);
  await expect(queues.write('inbox', 'x')).rejects.toMatchObject({ code: 'CLOSED' });
});

it('drains a running handler and stops watchers at the end', async () => {
  const started = new Signal();
  const release = new Signal();
  const ended: string[] = [];

  @Processor({ engine: 'broker', queue: 'slow' })
  class Slow {
    @Process()
    async handle({ payload }: HeldMessage): Promise<void> {
      started.resolve();
      await release.promise;
      ended.push(payload);
    }
  }
  const root = options();
  const app = await startWith(root, Slow);
  const broker = app.get(QueueBroker);
  const watcher = broker.queue('watched').watch({ handler: () => undefined });
  await broker.write('slow', 'one');
  await started.promise;
  const closing = app.close();
  release.resolve();
  await closing;
  await watcher.done;
  expect(ended).toEqual(['one']);
  const other = new QueueBroker({ connection: { url }, prefix: root.prefix });
  expect(await other.queue('slow').stats()).toMatchObject({ pending: 0, claimed: 1 });
  await other.close();
});

it('takes its options, and one broker per named instance', async () => {
  const root = options({ name: 'second', broker: { namespace: 'mail', maxMessageBytes: 3 } });
  const app = await startWith(root);
  const broker = app.get<QueueBroker>(getEngineToken('broker', 'second'));
  expect(broker.namespace).toBe('mail');
  await expect(broker.write('q', 'long')).rejects.toMatchObject({ code: 'INVALID_MESSAGE' });
});

it.each([
  [{ namespace: 'a b' }, 'broker.namespace'],
  [{ maxConnections: 0 }, 'broker.maxConnections'],
  [{ schema: 'x' }, 'broker.schema'],
])('refuses the options %j', async (broker, option) => {
  await expect(startWith(options({ broker: broker as BrokerOptions }))).rejects.toMatchObject({
    option,
  });
});

it('refuses an alias and a type at start', async () => {
  @Processor({ engine: 'broker', queue: '@alias' })
  class Aliased {
    @Process() handle(): void {}
  }
  await expect(startWith(options(), Aliased)).rejects.toMatchObject({ code: 'INVALID_QUEUE_NAME' });

  @Processor({ engine: 'broker', queue: 'typed' })
  class Typed {
    @Process('type') handle(): void {}
  }
  await expect(startWith(options(), Typed)).rejects.toMatchObject({ code: 'INVALID_PROCESSOR' });
});

it('shakes hands with a backend extension before anything is opened', async () => {
  const connection = { url: `redis://127.0.0.1:${await freePort()}` };
  for (const apiVersion of [BROKER_API_VERSION - 1, BROKER_API_VERSION + 1]) {
    const backend = { name: 'the extension X', apiVersion } as BrokerBackend;
    const starting = startWith(options({ connection, broker: { backend } }));
    await expect(starting).rejects.toMatchObject({
      code: 'API_VERSION',
      message: expect.stringMatching(
        new RegExp(
          `the extension X.*version ${apiVersion}.*version ${BROKER_API_VERSION}.*upgrade.*pin`,
        ),
      ) as string,
    });
  }
});
