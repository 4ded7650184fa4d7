// Listens to a queue in one of three ways and prints what it gets, until that is 'stop'. It does not
// close its broker: once nothing listens any more, nothing is left to keep the process alive.
import { QueueBroker } from '../../../../lib/broker/index.js';

interface ListenerSetup {
  readonly url: string;
  readonly prefix: string;
  readonly namespace: string;
  readonly way: 'watch' | 'observe' | 'waiter';
}

const setup = JSON.parse(process.env.SETUP ?? '{}') as ListenerSetup;
const { url, prefix, namespace } = setup;
const broker = new QueueBroker({ connection: { url }, prefix, namespace });
const queue = broker.queue('q');

/** Whether that was the last one. */
function isLast(body: string | undefined): boolean {
  if (body !== undefined) console.log(body);
  return body === 'stop';
}

const ways = {
  async watch() {
    const watcher = queue.watch({
      handler: ({ body }) => {
        if (isLast(body)) void watcher.stop();
      },
    });
    await watcher.done;
  },
  async observe() {
    await new Promise<void>((resolve) => {
      const observed = queue.observe().subscribe(({ body }) => {
        if (!isLast(body)) return;
        observed.unsubscribe();
        resolve();
      });
    });
  },
  async waiter() {
    const waiter = await queue.waiter();
    do await waiter.wait({ timeoutMs: 60_000 });
    while (!isLast((await queue.read())?.body));
    await waiter.close();
  },
};

await ways[setup.way]();
console.log('over');
