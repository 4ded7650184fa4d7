import { createBrokerEngine, formatId, type BrokerOptions } from '../../lib/broker/index.js';
import { JSON_CODEC } from '../../lib/delivery/index.js';
import { newId } from '../../lib/delivery/index.js';
import { KeySpace, RedisConnection } from '../../lib/redis/index.js';
import { REDIS_URL, testPrefix } from '../support/test-prefix.js';
import { describeEngineContract } from './contract-suite.js';
import type { ContractQueue, EngineHarness, State } from './harness.js';

const scope = testPrefix('contract-broker');
const { prefix } = scope;
afterAll(() => scope.cleanUp());

const QUEUE = 'work';
const LETTERS: Readonly<Record<string, State>> = {
  h: 'running',
  d: 'delayed',
  x: 'dead',
  c: 'done',
};

const harness: EngineHarness = {
  capabilities: ['order by arrival', 'unreadable'],
  open: () => Promise.resolve(openQueue(`n${newId()}`)),
};

/** Time passes by moving the stored end of a lease or of a delay. */
function openQueue(namespace: string): ContractQueue {
  const connection = new RedisConnection({ connection: { url: REDIS_URL } });
  const space = new KeySpace(prefix, 'broker', namespace);
  const options: BrokerOptions = { namespace, codec: JSON_CODEC };
  const { engine, driver } = createBrokerEngine({ connection, prefix, options });
  const raw = createBrokerEngine({ connection, prefix, options: { namespace } }).driver;
  const queue = driver.queue<unknown>(QUEUE);
  const target = { queue: QUEUE, slots: 10, leaseMs: 30_000, attempts: 3 };
  const look = async (command: string, ...args: (string | Buffer)[]): Promise<Buffer | null> =>
    (await connection.command(command, args)) as Buffer | null;
  const expire = async (): Promise<void> => {
    const leases = space.key('q', QUEUE, 'leases');
    const ids = (await connection.command('ZRANGE', [leases, '0', '-1'])) as Buffer[];
    for (const id of ids) await connection.command('ZADD', [leases, '1', id]);
    await engine.upkeep(target)[0].run();
  };
  return {
    name: QUEUE,
    produce: async (payload) => formatId(await queue.write(payload)),
    produceUnreadable: async () => formatId(await raw.queue(QUEUE).write('{"half')),
    source: (given) => engine.source({ ...target, ...given }),
    expireLeases: expire,
    expireDelays: expire,
    deadLetters: engine.deadLetters(QUEUE),
    stateOf: async (id) => {
      if (((await look('HEXISTS', space.key('bodies'), id)) as unknown as number) === 0)
        return null;
      const run = await look('HGET', space.key('runs'), id);
      return LETTERS[run?.toString().charAt(0) ?? ''] ?? 'waiting';
    },
    cancel: () => Promise.resolve(false),
    close: () => connection.close(),
  };
}

describeEngineContract('broker', harness);
