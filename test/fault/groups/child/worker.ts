// A worker process of one topic. Writes `<number> <fence>` to a log of each group before it does
// its work, under the rule that a fence which is not the newest of the group writes nothing.
import { setTimeout as pause } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { createGroupsEngine, type GroupMessage } from '../../../../lib/groups/index.js';
import { RedisConnection } from '../../../../lib/redis/index.js';
import { ClaimLoop } from '../../../../lib/worker/index.js';

/** What a test tells its worker process. */
export interface ChildWorkerSetup {
  readonly url: string;
  readonly prefix: string;
  readonly topic: string;
  /** Logs of the groups are lists `<log>:<group>`. */
  readonly log: string;
  readonly concurrency: number;
  readonly leaseMs: number;
  readonly groupBatch?: number;
  /** The longest that a handler takes, in milliseconds; how long it takes is drawn. */
  readonly workMs: number;
  /** Whether each takes as long as that. */
  readonly isSteady?: boolean;
  readonly attempts?: number;
  /** The handlers of this number and of those behind it never end. */
  readonly holdFrom?: number;
}

const setup = JSON.parse(process.env.SETUP!) as ChildWorkerSetup;
const { url, prefix, topic, log, concurrency, leaseMs, groupBatch = 1, workMs } = setup;
const { isSteady = false, attempts = 20, holdFrom = Infinity } = setup;

const LOG_LUA = `
local last = string.match(redis.call('LINDEX', KEYS[1], -1) or '', ' (%d+)$')
if last and tonumber(last) >= tonumber(ARGV[2]) then return 0 end
return redis.call('RPUSH', KEYS[1], ARGV[1] .. ' ' .. ARGV[2])`;

const logger = { log() {}, warn() {}, error() {} };
const redis = new Redis(url);
const connection = new RedisConnection({ connection: { url }, logger });
const { engine } = createGroupsEngine({ connection, prefix });

const loop = new ClaimLoop({
  name: topic,
  source: engine.source({ queue: topic, slots: concurrency, leaseMs, attempts, groupBatch }),
  handler: async (message, { fence }) => {
    const { group, payload } = message as GroupMessage;
    if (payload === 'exit') process.exit(1);
    await redis.eval(LOG_LUA, 1, `${log}:${group}`, String(payload), fence);
    if (Number(payload) >= holdFrom) await new Promise(() => undefined);
    await pause(isSteady ? workMs : Math.random() * workMs);
  },
  options: { concurrency, leaseMs, retry: { attempts } },
  logger,
});
loop.start();
process.stdout.write('ready\n');
