// node test/bench/broker.mjs [runs]: the broker's verbs, its linear operations and its waiters, beside
// the jobs engine and redis-benchmark on the same throw-away server. Needs `npm run build`.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { JobDriver, QueueBroker } from '../../dist/esm/index.js';
import { startRedis } from '../../scripts/redis.mjs';
import { quantile, round } from './measure.mjs';

const exec = promisify(execFile);
/** Where scripts/redis.mjs unpacks what it fetches. */
const APT = '.cache/redis/apt/usr';
const BODY = 'x'.repeat(100);
const SILENT = { log() {}, warn() {}, error() {} };
const connectionOf = (url) => ({ connection: { url }, logger: SILENT });
const times = (count, make) => Array.from({ length: count }, (_, n) => make(n));

async function timed(work) {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
}

/** Messages a second. */
const rate = async (count, work) => Math.round((count / (await timed(work))) * 1_000);

/** A namespace of its own for each measurement. */
const CASES = {
  'write, one by one /s': (broker) =>
    rate(5_000, async () => {
      for (let n = 0; n < 5_000; n++) await broker.write('q', BODY);
    }),
  'write, 100 in flight /s': (broker) =>
    rate(50_000, () => inFlight(50_000, () => broker.write('q', BODY))),
  'write, batches of 1,000 /s': (broker) =>
    rate(50_000, async () => {
      for (let n = 0; n < 50; n++) await broker.queue('q').writeMany(times(1_000, () => BODY));
    }),
  'read, one by one /s': async (broker) => {
    await fill(broker, 5_000);
    return rate(5_000, async () => {
      while ((await broker.queue('q').read()) !== null);
    });
  },
  'read, 100 in flight /s': async (broker) => {
    await fill(broker, 20_000);
    return rate(20_000, () => inFlight(20_000, () => broker.queue('q').read()));
  },
  'read, batches of 1,000 /s': async (broker) => {
    await fill(broker, 50_000);
    return rate(50_000, async () => {
      while ((await broker.queue('q').readMany({ limit: 1_000 })).length > 0);
    });
  },
  'move, one by one /s': async (broker) => {
    await fill(broker, 5_000);
    return rate(5_000, async () => {
      while ((await broker.queue('q').move('r')) !== null);
    });
  },
  'move, batches of 1,000 /s': async (broker) => {
    await fill(broker, 50_000);
    return rate(50_000, async () => {
      while ((await broker.queue('q').moveMany('r', { limit: 1_000 })).length > 0);
    });
  },
  'broadcast to 1,000 queues, ms': async (broker) => {
    const queues = times(1_000, (n) => `q${n}`);
    await broker.broadcast(BODY, { queues, createMissing: true });
    return round(await timed(() => broker.broadcast(BODY)), 2);
  },
  'insert of 100,000, ms': (broker, { admin }) =>
    longestCall(admin, () =>
      broker.insert(times(100_000, (n) => ({ queue: 'q', id: BigInt(n + 1), body: BODY }))),
    ),
  'keepNewest displaces 100,000, ms': (broker, redis) => displace(broker, redis, 100_000),
  'keepNewest displaces 220,000, ms': (broker, redis) => displace(broker, redis, 220_000),
  'keepNewest displaces 100,000 beside claimed ones, ms': async (broker, redis) => {
    await broker.write('q', BODY);
    await broker.queue('q').read();
    return displace(broker, redis, 100_000);
  },
  'write to wake, p50 ms': async (broker) => (await wakes(broker)).p50,
  'write to wake, p99 ms': async (broker) => (await wakes(broker)).p99,
  'jobs engine: add, batches of 1,000 /s': (_, { driver }) =>
    rate(50_000, async () => {
      const jobs = times(1_000, () => ({ type: 't', payload: BODY }));
      for (let n = 0; n < 50; n++) await driver.enqueueMany(jobs);
    }),
  'jobs engine: claim and ack, 100 a call /s': async (_, { driver }) => {
    for (let n = 0; n < 20; n++) {
      await driver.enqueueMany(times(1_000, () => ({ type: 't', payload: BODY })));
    }
    return rate(20_000, async () => {
      for (;;) {
        const claimed = await driver.dequeue({ limit: 100, waitMs: 0 });
        if (claimed.length === 0) return;
        await Promise.all(claimed.map((job) => driver.ack(job)));
      }
    });
  },
};

async function inFlight(count, call) {
  let left = count;
  await Promise.all(
    times(100, async () => {
      while (left-- > 0) await call();
    }),
  );
}

async function fill(broker, count) {
  for (let n = 0; n < count; n += 1_000)
    await broker.queue('q').writeMany(times(1_000, () => BODY));
}

async function displace(broker, { admin }, count) {
  await fill(broker, count);
  return longestCall(admin, () => broker.write('q', BODY, { keepNewest: 1 }));
}

/** How long one call of `work` holds the server, by the slow log. */
async function longestCall(admin, work) {
  await admin.config('SET', 'slowlog-log-slower-than', '10000');
  await admin.slowlog('RESET');
  await work();
  const entries = await admin.slowlog('GET', 10);
  const longest = Math.max(0, ...entries.map(([, , micros]) => micros));
  return round(longest / 1_000, 1);
}

async function wakes(broker) {
  const waiter = await broker.queue('q').waiter();
  const latencies = [];
  for (let n = 0; n < 1_000; n++) {
    const waiting = waiter.wait();
    const begun = performance.now();
    const woken = waiting.then(() => performance.now() - begun);
    await broker.write('q', 'x');
    latencies.push(await woken);
  }
  await waiter.close();
  return { p50: round(quantile(latencies, 0.5), 2), p99: round(quantile(latencies, 0.99), 2) };
}

async function measure(name) {
  const { Redis } = await import('ioredis');
  const server = await startRedis();
  const broker = new QueueBroker(connectionOf(server.url));
  const driver = new JobDriver({ ...connectionOf(server.url), promoter: false });
  const admin = new Redis(server.url);
  try {
    return await CASES[name](broker, { admin, driver });
  } finally {
    await Promise.all([broker.close(), driver.close?.()]);
    admin.disconnect();
    await server.stop();
  }
}

/** What the same machine does by redis-benchmark, which numbers of another machine go by. */
async function yardstick() {
  const server = await startRedis();
  const args = ['-p', new URL(server.url).port, '-n', '100000', '-t', 'zadd', '--csv'];
  try {
    const env = { ...process.env, LD_LIBRARY_PATH: `${APT}/lib/x86_64-linux-gnu` };
    for (const program of ['redis-benchmark', `${APT}/bin/redis-benchmark`]) {
      const found = await exec(program, args, { env }).catch(() => undefined);
      if (found) return found.stdout.trim().split('\n').at(-1);
    }
    return 'not installed here';
  } finally {
    await server.stop();
  }
}

const runs = Number(process.argv[2] ?? 3);
console.log(`redis-benchmark: ${await yardstick()}`);
for (const name of Object.keys(CASES)) {
  const results = [];
  for (let run = 0; run < runs; run++) results.push(await measure(name));
  console.log(`${name.padEnd(56)} ${quantile(results, 0.5)}`);
}
