import { pause } from '../contract/waiting.js';
import { ENGINES, EngineLoop, GROUPS } from '../support/engine-loops.js';
import { MovingSlots } from '../support/moving-slots.js';
import { startCluster, type TestCluster } from '../support/redis-server.js';

const MOVES = 3;
/** How many run before, between and after the moves, at least. */
const SHARE = 100;

let cluster: TestCluster;
let slots: MovingSlots;
let loop: EngineLoop;
let isOver: boolean;

beforeAll(async () => {
  cluster = await startCluster();
  slots = new MovingSlots(cluster);
}, 60_000);

beforeEach(() => void (isOver = false));

afterEach(async () => {
  isOver = true; // also when the test has failed
  await loop.stop();
});

afterAll(async () => {
  slots.close();
  await cluster.stop();
});

/** One producer a group, two messages at a time, until the test is over; answers the numbers. */
async function produceUntilOver(): Promise<number[]> {
  const producers = Array.from({ length: GROUPS }, async (_, group) => {
    const numbers: number[] = [];
    while (!isOver) {
      const next = numbers.length * GROUPS + group;
      numbers.push(next, next + GROUPS);
      await Promise.all([loop.produce(next), loop.produce(next + GROUPS)]);
      await pause(10);
    }
    return numbers;
  });
  return (await Promise.all(producers)).flat();
}

const byNumber = ([one]: readonly number[], [other]: readonly number[]) => one - other;

test.each(ENGINES)(
  'the slot of %s moves in the middle of the load, on and back: nothing is lost or done twice',
  async (engine) => {
    const connection = { cluster: { nodes: cluster.nodes } };
    const limits = { commandTimeoutMs: 20_000, connectTimeoutMs: 20_000 };
    const setup = { connection, limits, prefix: 'test-migration', leaseMs: 20_000, workMs: 10 };
    loop = new EngineLoop(engine, setup).start();
    const producing = produceUntilOver();
    for (let moves = 0; moves < MOVES; moves++) {
      await loop.untilRan(loop.runs.length + SHARE);
      await slots.moveOn(loop.base);
    }
    await loop.untilRan(loop.runs.length + SHARE);
    isOver = true;
    const numbers = await producing;

    await loop.untilSettled(numbers.length);
    expect([...loop.counts()].sort(byNumber)).toEqual(numbers.map((n) => [n, 1]).sort(byNumber));
    expect(loop.runs.filter(({ attempt }) => attempt !== 1)).toEqual([]);
    if (engine === 'groups') expect(loop.late()).toEqual([]);
    expect(await loop.audit(await slots.ownerOf(loop.base))).toEqual([]);
  },
);

// the bare XADD of a stream is never refused, and jobs promise no order among calls in flight
test.each(['groups', 'broker'] as const)(
  'a message of %s that is refused half-way does not let the next one pass',
  async (engine) => {
    loop = new EngineLoop(engine, {
      connection: { cluster: { nodes: cluster.nodes } },
      prefix: 'test-half-way',
      workMs: 0,
    });
    for (const number of [0, 8]) await loop.produce(number);
    const move = await slots.begin(loop.base);
    await move.next();
    const refused = loop.produce(16);
    await pause(20); // it is tried anew after 100 ms
    while (await move.next());
    await move.end();
    await Promise.all([refused, loop.produce(24)]);
    loop.start();
    await loop.untilRan(4);
    expect(loop.runs.map(({ number }) => number)).toEqual([0, 8, 16, 24]);
  },
);
