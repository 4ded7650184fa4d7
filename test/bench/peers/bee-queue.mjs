// bee-queue with its defaults.
import { peer } from '../install.mjs';

export function adapter(url) {
  const Queue = peer('bee-queue');
  const redis = { url };
  return {
    async produce() {
      const queue = new Queue('bench', { redis, isWorker: false });
      await queue.ready();
      return {
        add: (data) => queue.createJob(data).save(),
        addMany: (all) => queue.saveAll(all.map((data) => queue.createJob(data))),
      };
    },
    async consume({ concurrency, handler, settled }) {
      const queue = new Queue('bench', { redis });
      queue.on('succeeded', settled);
      queue.on('error', (error) => console.error(error.message));
      await queue.ready();
      queue.process(concurrency, handler);
    },
  };
}
