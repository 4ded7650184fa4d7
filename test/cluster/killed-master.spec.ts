import { Redis } from 'ioredis';
import { slotOf } from '../../lib/redis/cluster-node.js';
import { ENGINES, EngineLoop } from '../support/engine-loops.js';
import { startCluster, type TestCluster } from '../support/redis-server.js';
import { expectToGoOn } from './failover.js';

/** Its slot is one of the first master's, whatever the engine: the name is the hash tag. */
const QUEUE = ['a', 'b', 'c', 'd', 'e'].find((name) => slotOf(name) < 16_384 / 3)!;

let cluster: TestCluster;
let heir: Redis;
let loops: EngineLoop[];

beforeAll(async () => {
  cluster = await startCluster({ replicas: 1 });
  heir = new Redis(cluster.replicas[0].url);
  const setup = {
    connection: { cluster: { nodes: cluster.nodes } },
    limits: { connectTimeoutMs: 2_000, commandTimeoutMs: 2_000 },
    prefix: 'test-killed-master',
    queue: QUEUE,
    leaseMs: 1_500,
  };
  loops = ENGINES.map((engine) => new EngineLoop(engine, setup).start());
}, 60_000);

afterAll(async () => {
  await Promise.all(loops.map((loop) => loop.stop()));
  heir.disconnect();
  await cluster.stop();
});

test('a master of a cluster is killed: at its replica the loops of all engines go on', async () => {
  const kill = () => cluster.servers[0].kill();
  await expectToGoOn(loops, { kill, heir, withinMs: 25_000 });
}, 90_000);
