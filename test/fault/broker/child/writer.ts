// Writes numbered messages to a broker, one by one, in flight and by broadcast, and prints the ids.
import { QueueBroker } from '../../../../lib/broker/index.js';

interface WriterSetup {
  readonly url: string;
  readonly prefix: string;
  readonly namespace: string;
  readonly writer: number;
  readonly count: number;
  /** Milliseconds by which this process's clock is wrong. */
  readonly skewMs: number;
}

const setup = JSON.parse(process.env.SETUP ?? '{}') as WriterSetup;
const { url, prefix, namespace, writer, count, skewMs } = setup;
const now = Date.now;
Date.now = () => now() + skewMs;

const broker = new QueueBroker({ connection: { url }, prefix, namespace });
const queue = broker.queue(`q${writer % 4}`);
const ids: bigint[] = [];
for (let n = 0; n < count; n += 10) {
  ids.push(await queue.write(`${writer}:${n}`));
  const more = Array.from({ length: 9 }, (_, at) => `${writer}:${n + at + 1}`);
  ids.push(...(await queue.writeMany(more)));
}
console.log(ids.join('\n'));
await broker.close();
