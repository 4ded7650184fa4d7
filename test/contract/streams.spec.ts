import { Redis } from 'ioredis';
import { newId } from '../../lib/delivery/index.js';
import { KeySpace, RedisConnection } from '../../lib/redis/index.js';
import { createStreamsEngine } from '../../lib/streams/index.js';
import { REDIS_URL, testPrefix } from '../support/test-prefix.js';
import { describeEngineContract } from './contract-suite.js';
import type { ContractQueue, EngineHarness, State } from './harness.js';

const scope = testPrefix('contract-streams');
const { prefix } = scope;
const redis = new Redis(REDIS_URL);
afterAll(async () => {
  redis.disconnect();
  await scope.cleanUp();
});

const GROUP = 'default';
const HALF_A_BODY = { encode: () => '{"half', decode: () => undefined };
type Row = readonly [id: string, consumer: string, idle: number, count: number];
type Entry = readonly [id: string, fields: readonly string[]];

const harness: EngineHarness = {
  capabilities: ['order by arrival', 'delay', 'headers', 'unreadable'],
  open: () => Promise.resolve(openQueue(`q${newId()}`)),
};

/** Time passes by taking entries from their holders, and by moving the due time of delays. */
function openQueue(name: string): ContractQueue {
  const connection = new RedisConnection({ connection: { url: REDIS_URL } });
  const { base } = new KeySpace(prefix, 'streams', name);
  const [stream, delayed] = [`${base}:stream`, `${base}:delayed`];
  const { engine, driver } = createStreamsEngine({ connection, prefix });
  const broken = createStreamsEngine({ connection, prefix, options: { codec: HALF_A_BODY } });
  const transport = driver.queue(name);
  const target = { queue: name, slots: 10, leaseMs: 30_000, attempts: 3 };

  const stateOf = async (id: string): Promise<State | null> => {
    const found = await look({ stream, delayed, dead: `${base}:dead` });
    if (found.frames.some((frame) => frame.includes(id))) return 'delayed';
    const entry = found.entries.filter((one) => idOf(one) === id).at(-1)?.[0];
    const row = found.pending.find(([one]) => one === entry);
    if (row) return row[1] === 'released' ? 'waiting' : 'running';
    if (entry !== undefined && isUnread(entry, found.lastDelivered)) return 'waiting';
    return found.letters.some((letter) => idOf(letter) === id) ? 'dead' : null;
  };
  return {
    name,
    produce: (payload, options) => transport.append(payload, options),
    produceUnreadable: () => broken.driver.queue(name).append(null),
    source: (given) => engine.source({ ...target, ...given }),
    expireLeases: async () => {
      const { pending } = await look({ stream, delayed, dead: `${base}:dead` });
      const ids = pending.map(([id]) => id);
      if (ids.length === 0) return;
      const idle = ['IDLE', Date.now() - 60_000, 'JUSTID'];
      await connection.command('XCLAIM', [stream, GROUP, 'released', 0, ...ids, ...idle]);
    },
    expireDelays: async () => {
      const frames = (await connection.command('ZRANGE', [delayed, '0', '-1'])) as Buffer[];
      if (frames.length > 0)
        await connection.command('ZADD', [delayed, ...frames.flatMap((frame) => ['1', frame])]);
      await engine.upkeep(target)[0].run();
    },
    deadLetters: engine.deadLetters(name),
    stateOf,
    cancel: () => Promise.resolve(false),
    close: () => connection.close(),
  };
}

/** Everything at one instant, or a message on its way from here to there would be nowhere. */
async function look(keys: { stream: string; delayed: string; dead: string }) {
  const replies = await redis
    .multi()
    .call('XPENDING', keys.stream, GROUP, '-', '+', '5000')
    .call('XINFO', 'GROUPS', keys.stream)
    .xrange(keys.stream, '-', '+')
    .xrange(keys.dead, '-', '+')
    .zrange(keys.delayed, '0', '-1')
    .exec();
  const [pending, groups, entries, letters, frames] = (replies ?? []).map(([error, reply]) =>
    error === null ? reply : [],
  ) as [readonly Row[], readonly unknown[][], readonly Entry[], readonly Entry[], string[]];
  const row = (groups[0] ?? []) as readonly string[];
  const lastDelivered = row[row.indexOf('last-delivered-id') + 1] ?? '0-0';
  return { pending, lastDelivered, entries, letters, frames };
}

function idOf([entry, fields]: Entry): string {
  const named = (name: string) => {
    const at = fields.findIndex((field, index) => index % 2 === 0 && field === name);
    return at < 0 ? undefined : fields[at + 1];
  };
  return named('id') ?? entry;
}

function isUnread(entry: string, lastDelivered: string): boolean {
  const [ms, seq] = entry.split('-').map(Number);
  const [lastMs, lastSeq] = lastDelivered.split('-').map(Number);
  return ms > lastMs || (ms === lastMs && seq > lastSeq);
}

describeEngineContract('streams', harness);
