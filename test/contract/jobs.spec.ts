import { createJobsEngine } from '../../lib/jobs/index.js';
import { newId } from '../../lib/delivery/index.js';
import { KeySpace, RedisConnection } from '../../lib/redis/index.js';
import { REDIS_URL, testPrefix } from '../support/test-prefix.js';
import { describeEngineContract } from './contract-suite.js';
import type { ContractQueue, EngineHarness, State } from './harness.js';

const scope = testPrefix('contract-jobs');
const { prefix } = scope;
afterAll(() => scope.cleanUp());

const STATES: Readonly<Record<string, State>> = {
  pending: 'waiting',
  scheduled: 'delayed',
  failed: 'dead',
};
const HALF_A_BODY = { encode: () => '{"half', decode: () => undefined };

const harness: EngineHarness = {
  capabilities: [
    'order by arrival',
    'delay',
    'max attempts',
    'headers',
    'cancel',
    'results',
    'unreadable',
  ],
  open: () => Promise.resolve(openQueue(`q${newId()}`)),
};

/** Time passes by moving the stored end of a lease or of a delay. */
function openQueue(name: string): ContractQueue {
  const connection = new RedisConnection({ connection: { url: REDIS_URL } });
  const space = new KeySpace(prefix, 'jobs', name);
  const { engine, driver } = createJobsEngine({ connection, prefix });
  const broken = createJobsEngine({ connection, prefix, options: { codec: HALF_A_BODY } });
  const jobs = driver.queue(name);
  const target = { queue: name, slots: 10, leaseMs: 30_000, attempts: 3 };
  const moveBack = async (set: string): Promise<void> => {
    const members = (await connection.command('ZRANGE', [space.key(set), '0', '-1'])) as Buffer[];
    if (members.length === 0) return;
    await connection.command('ZADD', [space.key(set), ...members.flatMap((one) => ['1', one])]);
  };
  return {
    name,
    produce: async (payload, options) =>
      (await jobs.enqueue({ type: 'work', payload, ...options })).id,
    produceUnreadable: async () =>
      (await broken.driver.queue(name).enqueue({ type: 'work', payload: null })).id,
    source: (given) => engine.source({ ...target, ...given }),
    expireLeases: async () => {
      await moveBack('running');
      await jobs.recoverOrphans();
    },
    expireDelays: async () => {
      await moveBack('scheduled');
      await engine.upkeep(target)[0].run();
    },
    deadLetters: engine.deadLetters(name),
    stateOf: async (id) => {
      const status = (await jobs.get(id))?.status;
      return status === undefined ? null : (STATES[status] ?? (status as State));
    },
    cancel: (id) =>
      jobs.cancel(id).then(
        () => true,
        () => false,
      ),
    close: async () => {
      expect(await jobs.audit()).toEqual([]);
      await connection.close();
    },
  };
}

describeEngineContract('jobs', harness);
