// A worker process of one jobs queue, or with `role: 'promoter'` only its upkeep. Says `ready`,
// and `begin <id>` for each run.
import { setTimeout as pause } from 'node:timers/promises';
import { createJobsEngine, type JobsOptions } from '../../../../lib/jobs/index.js';
import { RedisConnection } from '../../../../lib/redis/index.js';
import { Promoter } from '../../../../lib/upkeep/index.js';
import { ClaimLoop } from '../../../../lib/worker/index.js';

/** What a test tells its worker process. */
export interface ChildWorkerSetup {
  readonly url: string;
  readonly prefix: string;
  readonly queue: string;
  readonly role?: 'worker' | 'promoter';
  readonly concurrency?: number;
  readonly leaseMs?: number;
  /** How long a handler takes. */
  readonly workMs?: number;
  readonly jobs?: JobsOptions;
  /** How far the clock of this process is ahead, in milliseconds. */
  readonly skewMs?: number;
  /** How far it jumps once the first handler has begun. */
  readonly stepMs?: number;
}

const setup = JSON.parse(process.env.SETUP!) as ChildWorkerSetup;
const { url, prefix, queue, role = 'worker', concurrency = 1, leaseMs = 1_000 } = setup;
const { workMs = 0, jobs, skewMs = 0, stepMs = 0 } = setup;

let aheadMs = skewMs;
const hostClock = Date.now.bind(Date);
Date.now = () => hostClock() + aheadMs;

const logger = { log() {}, warn() {}, error() {} };
const connection = new RedisConnection({ connection: { url }, logger });
const { engine } = createJobsEngine({ connection, prefix, ...(jobs && { options: jobs }) });
const target = { queue, slots: concurrency, leaseMs, attempts: 3 };

const promoter = new Promoter({ logger });
for (const task of engine.upkeep(target)) promoter.add(task);
promoter.start();

const loop = new ClaimLoop({
  name: queue,
  source: engine.source(target),
  handler: async ({ id, payload }) => {
    process.stdout.write(`begin ${id}\n`);
    aheadMs = skewMs + stepMs;
    if (payload === 'exit') process.exit(1);
    await pause(workMs);
  },
  options: { concurrency, leaseMs },
  logger,
});
if (role === 'worker') loop.start();
else setInterval(() => undefined, 60_000); // upkeep alone keeps no process alive
process.stdout.write('ready\n');
