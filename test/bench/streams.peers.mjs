// The streams engine beside the least that a client can do: XADD, XREADGROUP COUNT and XACK.
import { Redis } from 'ioredis';

const dist = process.env.BENCH_DIST ?? new URL('../../dist/esm', import.meta.url).pathname;
const { createStreamsEngine } = await import(`${dist}/streams/index.js`);
const { RedisConnection } = await import(`${dist}/redis/index.js`);
const { ClaimLoop } = await import(`${dist}/worker/index.js`);

const KEY = 'bench:streams:{bench}:stream';
const GROUP = 'default';

/** This library, built: the loop that a processor runs, with its upkeep, without Nest around it. */
export function ours(url) {
  const open = () =>
    createStreamsEngine({
      connection: new RedisConnection({ connection: { url } }),
      prefix: 'bench',
    });
  return {
    async produce() {
      const queue = open().driver.queue('bench');
      return {
        add: (payload, options) => queue.append(payload, options),
        addMany: (all) => queue.appendMany(all.map((payload) => ({ payload }))),
      };
    },
    async consume({ concurrency, prefetch, handler, settled, leaseMs = 60_000 }) {
      const { engine } = open();
      const target = { queue: 'bench', slots: concurrency + prefetch, leaseMs, attempts: 3 };
      const source = engine.source(target);
      const settle = source.settle.bind(source);
      source.settle = async (outcome) => {
        await settle(outcome);
        settled();
      };
      const options = { concurrency, prefetch, leaseMs };
      new ClaimLoop({ name: 'bench', source, handler, options, logger: console }).start();
      const upkeep = () => void engine.upkeep(target)[0].run();
      setInterval(upkeep, 1_000).unref();
    },
  };
}

const acknowledge = {
  /** Each entry as its handler ends, as plain loops are written. */
  each: (redis, entries, run) =>
    Promise.all(
      entries.map(async ([id, fields]) => {
        await run(fields);
        await redis.xack(KEY, GROUP, id);
      }),
    ),
  /** All of a read in one command: the least that is possible. */
  together: async (redis, entries, run) => {
    await Promise.all(entries.map(([, fields]) => run(fields)));
    await redis.xack(KEY, GROUP, ...entries.map(([id]) => id));
  },
};

/** One loop: read as many as may run, run them, acknowledge each. */
export const bare = (url) => plain(url, acknowledge.each);

/** The same with one XACK a read. */
export const batched = (url) => plain(url, acknowledge.together);

function plain(url, ack) {
  return {
    async produce() {
      const redis = new Redis(url);
      const add = (payload) => redis.xadd(KEY, '*', 'body', JSON.stringify(payload));
      return { add, addMany: (all) => Promise.all(all.map(add)) };
    },
    async consume({ concurrency, handler, settled }) {
      const redis = new Redis(url);
      await redis.xgroup('CREATE', KEY, GROUP, '0', 'MKSTREAM').catch(() => undefined);
      void loop(redis, { concurrency, handler, settled, ack });
    },
  };
}

async function loop(redis, { concurrency, handler, settled, ack }) {
  const block = ['COUNT', concurrency, 'BLOCK', 1_000, 'STREAMS', KEY, '>'];
  const run = (fields) => handler(JSON.parse(fields[1].toString()));
  for (;;) {
    const reply = await redis.xreadgroupBuffer('GROUP', GROUP, 'bench', ...block);
    if (reply === null) continue;
    const entries = reply[0][1];
    await ack(redis, entries, run);
    for (let i = 0; i < entries.length; i++) settled();
  }
}
