import { Redis } from 'ioredis';
import { ENGINES, EngineLoop } from '../support/engine-loops.js';
import { expectToGoOn } from './failover.js';
import { startSentinels, type SentinelSet } from './sentinels.js';

let set: SentinelSet;
let heir: Redis;
let loops: EngineLoop[];

beforeAll(async () => {
  set = await startSentinels();
  heir = new Redis(set.replica.url);
  const { sentinels, name } = set;
  const setup = {
    connection: { sentinels: { sentinels, name } },
    limits: { connectTimeoutMs: 2_000, commandTimeoutMs: 2_000 },
    prefix: 'test-sentinel',
    leaseMs: 1_500,
  };
  loops = ENGINES.map((engine) => new EngineLoop(engine, setup).start());
}, 60_000);

afterAll(async () => {
  await Promise.all(loops.map((loop) => loop.stop()));
  heir.disconnect();
  await set.stop();
});

test('a master is killed while sentinels watch: at the new one all engines go on', async () => {
  await expectToGoOn(loops, { kill: () => set.master.kill(), heir, withinMs: 25_000 });
}, 90_000);
