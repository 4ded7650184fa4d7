import { payloadsOf, useGroups } from './groups-fixture.js';

const groups = useGroups('waiting');

/** A claim of a loop in another process, waiting. */
async function waitingSource(more: object = {}) {
  const { engine } = groups.process();
  const source = engine.source(groups.target(more));
  const stop = new AbortController();
  const claiming = source.claim({ limit: 1, signal: stop.signal });
  await new Promise((resolve) => setTimeout(resolve, 60)); // it has looked and waits now
  return {
    claiming,
    end: async () => {
      stop.abort();
      await source.close();
    },
  };
}

const since = (at: number) => performance.now() - at;

describe('a claim that waits', () => {
  test('wakes when a message comes', async () => {
    const { claiming, end } = await waitingSource();
    const at = performance.now();
    await groups.publish('g', 1);
    expect((await claiming)[0].message.payload).toBe(1);
    expect(since(at)).toBeLessThan(1_000);
    await end();
  });

  test('wakes when another holder frees a group that has more', async () => {
    await groups.publishAll('g', [1, 2]);
    const holder = await groups.claimOne();
    const { claiming, end } = await waitingSource();
    const at = performance.now();
    await groups.transport.ack(holder);
    expect((await claiming)[0].message.payload).toBe(2);
    expect(since(at)).toBeLessThan(1_000);
    await end();
  });

  test('is on time for a group that another process parked meanwhile', async () => {
    await groups.publish('g', 1);
    const holder = await groups.claimOne();
    const { claiming, end } = await waitingSource();
    const at = performance.now();
    await groups.transport.nack(holder, { delayMs: 150 });
    expect((await claiming)[0].message).toMatchObject({ payload: 1, attempt: 2 });
    expect(since(at)).toBeGreaterThanOrEqual(148);
    expect(since(at)).toBeLessThan(1_500);
    await end();
  });

  test('is on time for a lease that another process took meanwhile and let lapse', async () => {
    const { claiming, end } = await waitingSource({ leaseMs: 300 });
    // taken in the same call that could have served the waiting claim, so no bell rings for it
    await groups.transport.pause();
    await groups.publish('g', 1);
    await groups.transport.resume();
    await groups.redis.del(groups.key('signal'));
    const [held] = await groups.process().transport.claim({ leaseMs: 300 });
    const at = performance.now();
    const [delivery] = await claiming;
    expect(delivery.message.payload).toBe(1);
    if (held !== undefined) {
      expect(delivery.message.attempt).toBe(2);
      expect(since(at)).toBeLessThan(1_500);
    }
    await end();
  });

  test('ends with its time, or with its signal', async () => {
    const at = performance.now();
    expect(await groups.transport.claim({ waitMs: 50 })).toEqual([]);
    expect(since(at)).toBeGreaterThanOrEqual(48);
    const stop = new AbortController();
    const claiming = groups.transport.claim({ waitMs: 60_000, signal: stop.signal });
    stop.abort();
    expect(await claiming).toEqual([]);
    expect(await groups.transport.claim({ signal: AbortSignal.abort() })).toEqual([]);
  });

  test('for high tiers takes no ring from those that serve low ones', async () => {
    const high = groups.transport.claim({ minPriority: 3, waitMs: 20_000 });
    const { claiming, end } = await waitingSource();
    await groups.publish('low', 1);
    expect((await claiming)[0].message.payload).toBe(1);
    await groups.publish('high', 2, { priority: 3 });
    expect(payloadsOf(await high)).toEqual([2]);
    await end();
  });

  test('all wake when there is work for all', async () => {
    const sources = await Promise.all([1, 2, 3, 4].map(() => waitingSource()));
    await groups.transport.publishMany(
      [1, 2, 3, 4].map((payload) => ({ group: `g${payload}`, payload })),
    );
    const claimed = (await Promise.all(sources.map(({ claiming }) => claiming))).flat();
    expect(claimed.map(({ message }) => message.payload).sort()).toEqual([1, 2, 3, 4]);
    await Promise.all(sources.map(({ end }) => end()));
  });
});
