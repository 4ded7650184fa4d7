// node test/bench/groups.growth.mjs: how the cost of a claim grows with the number of groups and of
// waiting messages, as script time by the server's commandstats. One script call is one claim and,
// from the second on, the ack of the one before.
import { Redis } from 'ioredis';
import { startRedis } from '../../scripts/redis.mjs';
import { payload, round } from './measure.mjs';

const dist = process.env.BENCH_DIST ?? new URL('../../dist/esm', import.meta.url).pathname;
const { createGroupsEngine } = await import(`${dist}/groups/index.js`);
const { RedisConnection } = await import(`${dist}/redis/index.js`);

const CLAIMS = 20_000;
const GROUPS = [10, 100, 1_000, 10_000, 100_000];
const MESSAGES = [10_000, 100_000, 1_000_000];

/** Calls and microseconds of the scripts, and what they called inside. */
async function scriptStats(admin) {
  const stats = await admin.info('commandstats');
  const of = (command) => {
    const found = new RegExp(`cmdstat_${command}:calls=(\\d+),usec=(\\d+)`).exec(stats);
    return { calls: Number(found?.[1] ?? 0), usec: Number(found?.[2] ?? 0) };
  };
  const forbidden = ['scan', 'keys', 'hgetall', 'smembers', 'sort'].filter(
    (name) => of(name).calls,
  );
  return { ...of('evalsha'), forbidden };
}

async function measure(groups, messages) {
  const redis = await startRedis({});
  const admin = new Redis(redis.url);
  const connection = new RedisConnection({ connection: { url: redis.url } });
  const { engine, driver } = createGroupsEngine({ connection, prefix: 'growth' });
  const topic = driver.topic('growth');
  for (let at = 0; at < messages; at += 5_000) {
    const some = Array.from({ length: Math.min(5_000, messages - at) }, (_, k) => ({
      group: `group-${(at + k) % groups}`,
      payload: payload(at + k),
      priority: ((at + k) % groups) % 3,
    }));
    await topic.publishMany(some);
  }
  const source = engine.source({ queue: 'growth', slots: 1, leaseMs: 60_000, attempts: 3 });
  const { signal } = new AbortController();
  const step = async (held) => {
    const settled = held?.ack();
    const [next] = await source.claim({ limit: 1, signal });
    await settled;
    return next;
  };
  const claims = Math.min(CLAIMS, messages - 100);
  let held;
  for (let n = 0; n < 50; n++) held = await step(held);
  await admin.config('RESETSTAT');
  for (let n = 0; n < claims; n++) held = await step(held);
  const { calls, usec, forbidden } = await scriptStats(admin);
  await held.ack();
  await source.close();
  await connection.close();
  admin.disconnect();
  await redis.stop();
  return { microseconds: usec / calls, callsAClaim: calls / claims, forbidden };
}

async function row(groups, messages) {
  const { microseconds, callsAClaim, forbidden } = await measure(groups, messages);
  const bar = '#'.repeat(Math.round(microseconds));
  console.log(
    `${String(groups).padStart(7)} groups ${String(messages).padStart(9)} messages ` +
      `${round(microseconds, 1).toFixed(1).padStart(6)} µs ${bar} ` +
      `(script calls a claim: ${round(callsAClaim, 3)}, scans: ${forbidden.join(' ') || 'none'})`,
  );
  return microseconds;
}

const curve = [];
console.log('100,000 messages waiting in a growing number of groups');
for (const groups of GROUPS) curve.push(await row(groups, 100_000));
console.log('a growing number of messages waiting in 10,000 groups');
const byMessages = [];
for (const messages of MESSAGES) byMessages.push(await row(10_000, messages));
const spread = (values) => (Math.max(...values) / Math.min(...values) - 1) * 100;
console.log(`from 10 to 100,000 groups: within ${Math.round(spread(curve))} % (to reach: 25)`);
console.log(
  `from 10,000 to 1,000,000 messages: within ${Math.round(spread(byMessages))} % (to reach: 25)`,
);
