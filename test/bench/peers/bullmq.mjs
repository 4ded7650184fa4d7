// BullMQ with its defaults, on ioredis 5 as it ships.
import { peer } from '../install.mjs';

export function adapter(url) {
  const { Queue, Worker } = peer('bullmq');
  const { hostname: host, port } = new URL(url);
  const connection = { host, port: Number(port), maxRetriesPerRequest: null };
  return {
    async produce() {
      const queue = new Queue('bench', { connection });
      await queue.waitUntilReady();
      return {
        add: (data) => queue.add('job', data),
        addMany: (all) => queue.addBulk(all.map((data) => ({ name: 'job', data }))),
      };
    },
    async consume({ concurrency, handler, settled }) {
      const worker = new Worker('bench', handler, { connection, concurrency });
      worker.on('completed', settled);
      worker.on('error', (error) => console.error(error.message));
      await worker.waitUntilReady();
    },
  };
}
