// The groups engine beside GroupMQ, with its defaults, and beside our jobs engine, which keeps no order.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

const dist = process.env.BENCH_DIST ?? new URL('../../dist/esm', import.meta.url).pathname;
const folder = fileURLToPath(new URL('../../.cache/bench-groups/', import.meta.url));
const PEERS = ['groupmq@1.1.0', 'ioredis@5.11.1'];

/** Puts GroupMQ into the cache, once; it is no dependency of the library. */
export function install() {
  if (existsSync(`${folder}node_modules/groupmq`)) return;
  mkdirSync(folder, { recursive: true });
  writeFileSync(`${folder}package.json`, '{ "private": true }\n');
  execFileSync('npm', ['install', '--no-audit', '--no-fund', '--no-save', ...PEERS], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}

const { createGroupsEngine } = await import(`${dist}/groups/index.js`);
const { createJobsEngine } = await import(`${dist}/jobs/index.js`);
const { RedisConnection } = await import(`${dist}/redis/index.js`);
const { ClaimLoop } = await import(`${dist}/worker/index.js`);

/** The loop that a processor runs, without Nest around it; `settled` is called for each message. */
function runLoop(engine, target, { handler, settled }) {
  const source = engine.source({ queue: 'bench', leaseMs: 30_000, attempts: 3, ...target });
  const claim = source.claim.bind(source);
  source.claim = async (request) => {
    const deliveries = await claim(request);
    for (const delivery of deliveries) {
      const ack = delivery.ack.bind(delivery);
      delivery.ack = (result) => ack(result).then(settled);
    }
    return deliveries;
  };
  const options = { concurrency: target.slots };
  new ClaimLoop({ name: 'bench', source, handler, options, logger: console }).start();
}

function groupsWith(groupBatch) {
  return (url) => {
    const connection = () => new RedisConnection({ connection: { url } });
    const open = () => createGroupsEngine({ connection: connection(), prefix: 'bench' });
    return {
      async produce() {
        const topic = open().driver.topic('bench');
        return { addMany: (messages) => topic.publishMany(messages) };
      },
      async consume({ concurrency, ...rest }) {
        runLoop(open().engine, { slots: concurrency, groupBatch }, rest);
      },
    };
  };
}

export const ours = groupsWith(1);
export const oursBatch20 = groupsWith(20);

export function jobs(url) {
  const connection = () => new RedisConnection({ connection: { url } });
  const options = { keepDone: { count: 0 } }; // nothing is kept on the other two either
  const open = () => createJobsEngine({ connection: connection(), prefix: 'bench', options });
  return {
    async produce() {
      const queue = open().driver.queue('bench');
      return {
        addMany: (all) => queue.enqueueMany(all.map(({ payload }) => ({ type: 'job', payload }))),
      };
    },
    async consume({ concurrency, ...rest }) {
      runLoop(open().engine, { slots: concurrency }, rest);
    },
  };
}

/** It keeps every finished job, as our jobs engine does by default and its own bench did. */
export const groupmq = (url) => groupmqWith(url, { keepCompleted: 1_000_000 });

/** It keeps none: its default. */
export const groupmqBare = (url) => groupmqWith(url, {});

function groupmqWith(url, keep) {
  const require = createRequire(`${folder}package.json`);
  const { Queue, Worker } = require('groupmq');
  const { Redis } = require('ioredis');
  const open = (more) => {
    const redis = new Redis(url, { maxRetriesPerRequest: null });
    return new Queue({ redis, namespace: 'bench', ...keep, ...more });
  };
  return {
    async produce() {
      const queue = open({ autoBatch: { size: 100, maxWaitMs: 5 } });
      return {
        addMany: (all) =>
          Promise.all(
            all.map(({ group, payload }) => queue.add({ groupId: group, data: payload })),
          ),
      };
    },
    async consume({ concurrency, handler, settled }) {
      const worker = new Worker({ queue: open(), concurrency, handler });
      worker.on('completed', settled);
      worker.on('error', (error) => console.error(error.message));
      worker.run();
    },
  };
}
