import { createGroupsEngine, type GroupTransport } from '../../lib/groups/index.js';
import { newId } from '../../lib/delivery/index.js';
import { KeySpace, RedisConnection } from '../../lib/redis/index.js';
import { REDIS_URL, testPrefix } from '../support/test-prefix.js';
import { describeEngineContract } from './contract-suite.js';
import type { ContractQueue, EngineHarness, State } from './harness.js';

const scope = testPrefix('contract-groups');
const { prefix } = scope;
afterAll(() => scope.cleanUp());

const TIERS = [0, 1, 2, 3, 4];
const HALF_A_BODY = { encode: () => '{"half', decode: () => undefined };

/** Once with a message a lease, once with several. */
const harness = (groupBatch: number): EngineHarness => ({
  capabilities: ['headers', 'unreadable'],
  open: () => Promise.resolve(openTopic(`t${newId()}`, groupBatch)),
});

/** Each message is in a group of its own; time passes by moving stored ends. */
function openTopic(name: string, groupBatch: number): ContractQueue {
  const connection = new RedisConnection({ connection: { url: REDIS_URL } });
  const space = new KeySpace(prefix, 'groups', name);
  const { engine, driver } = createGroupsEngine({ connection, prefix, options: { groupBatch } });
  const broken = createGroupsEngine({ connection, prefix, options: { codec: HALF_A_BODY } });
  const topic = driver.topic(name);
  const groupOf = new Map<string, string>();
  const target = { queue: name, slots: 10, leaseMs: 30_000, attempts: 3 };

  const produce = async (by: GroupTransport, payload: unknown, more: object = {}) => {
    const group = newId();
    const { id } = await by.publish({ group, payload, ...more });
    groupOf.set(id, group);
    return id;
  };
  const expire = async (): Promise<void> => {
    for (const group of groupOf.values())
      await connection.command('DEL', [space.key('lock', group)]);
    for (const tier of TIERS) {
      const key = space.key('ready', String(tier));
      const members = (await connection.command('ZRANGE', [key, '0', '-1'])) as Buffer[];
      if (members.length > 0)
        await connection.command('ZADD', [key, ...members.flatMap((one) => ['1', one])]);
    }
  };
  return {
    name,
    produce: (payload, options) => produce(topic, payload, options),
    produceUnreadable: () => produce(broken.driver.topic(name), null),
    source: (given) => engine.source({ ...target, ...given }),
    expireLeases: expire,
    expireDelays: expire,
    deadLetters: engine.deadLetters(name),
    stateOf: (id) => stateOf(topic, id, groupOf.get(id) ?? ''),
    cancel: () => Promise.reject(new Error('messages of this engine are not cancelled')),
    close: async () => {
      expect(await topic.audit()).toEqual([]);
      await connection.close();
    },
  };
}

async function stateOf(topic: GroupTransport, id: string, group: string): Promise<State | null> {
  const state = await topic.inspect(group);
  if (state === null) {
    const letters = await topic.deadLetters.list({ limit: 500 });
    return letters.some((letter) => letter.id === id) ? 'dead' : null;
  }
  if (state.leased > 0) return 'running';
  return state.parked && (state.claimableInMs ?? 1) > 0 ? 'delayed' : 'waiting';
}

describeEngineContract('groups', harness(1));
describeEngineContract('groups in batches', harness(7));
