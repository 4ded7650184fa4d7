// This library, built: the loop that a processor runs, without Nest around it.
import { createJobsEngine } from '../../../dist/esm/jobs/index.js';
import { RedisConnection } from '../../../dist/esm/redis/index.js';
import { ClaimLoop } from '../../../dist/esm/worker/index.js';

export function adapter(url) {
  const open = () =>
    createJobsEngine({
      connection: new RedisConnection({ connection: { url } }),
      prefix: 'bench',
      options: { keepDone: { count: 1_000_000 } },
    });
  return {
    async produce() {
      const queue = open().driver.queue('bench');
      return {
        add: (payload) => queue.enqueue({ type: 'job', payload }),
        addMany: (all) => queue.enqueueMany(all.map((payload) => ({ type: 'job', payload }))),
      };
    },
    async consume({ concurrency, prefetch, handler, settled }) {
      const source = open().engine.source({
        queue: 'bench',
        slots: concurrency + prefetch,
        leaseMs: 30_000,
        attempts: 3,
      });
      const settle = source.settle.bind(source);
      source.settle = async (delivery, outcome) => {
        await settle(delivery, outcome);
        settled();
      };
      const options = { concurrency, prefetch };
      new ClaimLoop({ name: 'bench', source, handler, options, logger: console }).start();
    },
  };
}
