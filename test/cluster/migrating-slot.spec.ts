import { Redis } from 'ioredis';
import { slotOf } from '../../lib/redis/cluster-node.js';
import { KeySpace } from '../../lib/redis/index.js';
import { pause } from '../contract/waiting.js';
import { Worker } from '../fault/jobs/worker.js';
import { eventually } from '../support/eventually.js';
import { startCluster, type TestCluster } from '../support/redis-server.js';

const PREFIX = 'test-migration';
const QUEUE = 'moving';
const JOBS = 400;

let cluster: TestCluster;
let nodes: Redis[];

beforeAll(async () => {
  cluster = await startCluster();
  nodes = cluster.servers.map(({ url }) => new Redis(url));
}, 60_000);

afterAll(async () => {
  for (const node of nodes) node.disconnect();
  await cluster.stop();
});

/** Moves a slot as `redis-cli --cluster reshard` does, but key by key and slowly. */
async function migrate(slot: number, from: Redis, to: Redis): Promise<void> {
  const [fromId, toId] = [await from.cluster('MYID'), await to.cluster('MYID')];
  await to.cluster('SETSLOT', slot, 'IMPORTING', fromId);
  await from.cluster('SETSLOT', slot, 'MIGRATING', toId);
  for (let keys: string[]; (keys = await keysIn(slot, from)).length > 0; await pause(25)) {
    const { host, port } = to.options;
    await from.call('MIGRATE', host!, port!, keys[0], 0, 5_000, 'REPLACE');
  }
  await to.cluster('SETSLOT', slot, 'NODE', toId);
  await from.cluster('SETSLOT', slot, 'NODE', toId);
}

async function keysIn(slot: number, node: Redis): Promise<string[]> {
  return await node.cluster('GETKEYSINSLOT', slot, 1);
}

/** The node that serves the slot now. */
async function ownerOf(slot: number): Promise<number> {
  const rows = await nodes[0].cluster('SLOTS');
  const [, , node] = rows.find(([first, last]) => first <= slot && slot <= last)!;
  return cluster.servers.findIndex(({ port }) => port === Number(node[1]));
}

describe('a slot that moves in the middle of the load', () => {
  let worker: Worker;
  beforeEach(() => {
    const connection = { cluster: { nodes: cluster.nodes } };
    const loop = { concurrency: 10, leaseMs: 20_000 };
    const setup = { connection, prefix: PREFIX, queue: QUEUE, loop, handler: () => pause(20) };
    worker = new Worker({ ...setup, limits: { commandTimeoutMs: 20_000 } }).start();
  });
  afterEach(() => worker.stop());

  test('and moves on, and back: nothing is lost and nothing is done twice', async () => {
    const { driver } = worker;
    const slot = slotOf(new KeySpace(PREFIX, 'jobs', QUEUE).base);
    const adding = addSlowly();
    await eventually(() => worker.begun >= 20);
    let at = await ownerOf(slot);
    for (let moves = 0; moves < 3; moves++) {
      const next = (at + 1) % nodes.length;
      await migrate(slot, nodes[at], nodes[next]);
      at = next;
      await eventually(async () => (await ownerOf(slot)) === at);
      const begun = worker.begun;
      await eventually(() => worker.begun > begun || worker.begun === JOBS);
    }
    expect(new Set(await adding).size).toBe(JOBS);
    await eventually(async () => (await driver.stats()).done === JOBS, { withinMs: 25_000 });
    expect([...worker.runs.values()]).toEqual(Array(JOBS).fill(1));
    for (const { attempts, recoveries } of (await driver.list({ status: 'done', limit: 500 })).jobs)
      expect({ attempts, recoveries }).toEqual({ attempts: 1, recoveries: 0 });
    expect(await driver.stats()).toMatchObject({ pending: 0, running: 0, failed: 0, done: JOBS });
    expect(await driver.audit()).toEqual([]);
  });

  /** Goes on over all the moves; a few at a time. */
  async function addSlowly(): Promise<string[]> {
    const ids: string[] = [];
    while (ids.length < JOBS) {
      const jobs = Array.from({ length: 4 }, () => ({ type: 'work', payload: null }));
      ids.push(...(await worker.driver.enqueueMany(jobs)).map(({ id }) => id));
      await pause(10);
    }
    return ids;
  }
});
