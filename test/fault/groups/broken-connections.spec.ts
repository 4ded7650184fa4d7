import type { Handler } from '../../../lib/contract/index.js';
import type { GroupsOptions } from '../../../lib/groups/index.js';
import { createGroupsEngine, type GroupMessage } from '../../../lib/groups/index.js';
import { RedisConnection } from '../../../lib/redis/index.js';
import { ClaimLoop } from '../../../lib/worker/index.js';
import { RecordingLogger } from '../../contract/logs.js';
import { pause, signalled } from '../../contract/waiting.js';
import { useGroups } from '../../engine/groups/groups-fixture.js';
import { eventually } from '../../support/eventually.js';
import { FaultyProxy } from '../../support/faulty-proxy.js';

const groups = useGroups('cut');
const NAMES = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];

let proxy: FaultyProxy;
let stops: (() => Promise<void>)[];

beforeEach(async () => {
  proxy = await FaultyProxy.start(Number(new URL(groups.url).port));
  stops = [];
});

afterEach(async () => {
  endFault();
  for (const stop of stops) await stop();
  await proxy.stop();
});

/** What was swallowed never comes, so the connections that lost something are cut. */
function endFault(): void {
  proxy.cut();
  proxy.resume();
}

/** A process of its own behind the proxy, as far as its connection goes. */
function behindProxy(options: GroupsOptions = {}) {
  const logger = new RecordingLogger();
  const connection = new RedisConnection({
    connection: { url: proxy.url },
    connectTimeoutMs: 20_000,
    commandTimeoutMs: 1_000,
    logger,
  });
  stops.push(() => connection.close());
  const { engine, driver } = createGroupsEngine({ connection, prefix: groups.prefix, options });
  return { engine, transport: driver.topic(groups.topic), logger };
}

/** A loop behind the proxy that notes its runs by group. */
function startLoop(handler: Handler, { groupBatch = 1, concurrency = 4, leaseMs = 1_500 } = {}) {
  const { engine, logger } = behindProxy();
  const runs = new Map<string, unknown[]>();
  const loop = new ClaimLoop({
    name: groups.topic,
    source: engine.source(
      groups.target({ slots: concurrency, leaseMs, groupBatch, attempts: 1_000 }),
    ),
    handler: (message, context) => {
      const { group, payload } = message as GroupMessage;
      runs.set(group, [...(runs.get(group) ?? []), payload]);
      return handler(message, context);
    },
    options: { concurrency, leaseMs, retry: { attempts: 1_000 } },
    logger,
  });
  stops.unshift(() => loop.drain(0));
  loop.start();
  return { loop, runs, logger };
}

const isDrained = () =>
  eventually(async () => (await groups.transport.depth()) === 0, { withinMs: 25_000 });

/** Never a step back but to what was not acked. */
function expectInOrder(runs: readonly unknown[], count: number, batch: number): void {
  let next = 0;
  for (const number of runs as number[]) {
    expect(number).toBeLessThanOrEqual(next);
    expect(number).toBeGreaterThanOrEqual(next - batch);
    next = number + 1;
  }
  expect(next).toBe(count);
}

describe('a connection that is cut while handlers run', () => {
  test.each([1, 4])('loses nothing and keeps every order, %i a lease', async (groupBatch) => {
    const { runs, logger } = startLoop(() => pause(3), { groupBatch });
    for (const name of NAMES) await groups.publishAll(name, [...Array(20).keys()]);
    for (let cuts = 0; cuts < 5; cuts++) {
      await pause(50);
      proxy.cut();
    }
    await isDrained();
    for (const name of NAMES) expectInOrder(runs.get(name) ?? [], 20, groupBatch);
    expect(logger.lines.length).toBeLessThan(40);
  });
});

describe('a reply that is lost', () => {
  test('of an ack by hand: the ack repeated with its token succeeds, and takes one message', async () => {
    const { transport } = behindProxy();
    await groups.publishAll('g', [1, 2]);
    const [message] = await transport.claim();
    proxy.dropReplies();
    const ack = transport.ack(message);
    await expect(ack).rejects.toMatchObject({ outcomeAmbiguous: true });
    endFault();
    expect(await groups.transport.depth('g')).toBe(1);
    const [next] = await groups.transport.claim();
    expect(await transport.ack(message)).toBe(true);
    expect(await groups.transport.depth('g')).toBe(1);
    expect(await groups.transport.ack(next)).toBe(true);
  });

  test('of the settles of a loop: they are repeated, nothing runs twice, nobody is alarmed', async () => {
    const release = signalled();
    const { runs, logger } = startLoop(() => release.promise);
    for (const name of ['a', 'b', 'c', 'd']) await groups.publish(name, 0);
    await eventually(() => runs.size === 4);
    proxy.dropReplies();
    release.resolve();
    await isDrained();
    endFault();
    await groups.publish('e', 0);
    await isDrained();
    expect([...runs.values()]).toEqual(Array(5).fill([0]));
    const alarms = logger.lines.filter(({ text }) => text.includes('not written'));
    expect(alarms).toEqual([]);
  });

  test.each([1, 5])(
    'of claims, %i a lease: they are asked again, no lease has to end',
    async (batch) => {
      const { runs } = startLoop(() => pause(2), { groupBatch: batch, leaseMs: 60_000 });
      for (const name of NAMES) await groups.publishAll(name, [...Array(30).keys()]);
      for (const share of [30, 80, 130, 180]) {
        await eventually(() => [...runs.values()].flat().length >= share, { withinMs: 20_000 });
        proxy.dropReplies();
        await pause(20);
        endFault();
      }
      await isDrained();
      for (const name of NAMES) expect(runs.get(name)).toEqual([...Array(30).keys()]);
    },
  );

  test('of a publish: the error says that the outcome is open', async () => {
    const { transport } = behindProxy();
    await transport.depth();
    proxy.dropReplies();
    const publishing = transport.publish({ group: 'g', payload: 1 });
    await expect(publishing).rejects.toMatchObject({ outcomeAmbiguous: true });
    endFault();
    expect(await groups.transport.depth('g')).toBe(1);
  });
});

describe('a network that swallows everything', () => {
  test('costs the holder its groups by lease, and tells its handlers', async () => {
    const reasons: string[] = [];
    const { runs } = startLoop(
      (_, { signal }) =>
        new Promise<void>((resolve) => {
          signal.addEventListener('abort', () => {
            reasons.push((signal.reason as Error).name);
            resolve();
          });
        }),
      { leaseMs: 900 },
    );
    await groups.publishAll('a', [0, 1]);
    await eventually(() => runs.size === 1);
    proxy.blackHole();
    const [taken] = await groups.transport.claim({ waitMs: 10_000 });
    expect(taken).toMatchObject({ group: 'a', payload: 0, attempt: 2 });
    await eventually(() => reasons.length === 1);
    expect(reasons).toEqual(['LeaseLostError']);
    expect(await groups.transport.ack(taken)).toBe(true);
  });
});
