import { groupsOf, payloadsOf, useGroups } from './groups-fixture.js';

const groups = useGroups('pause');

describe('pause', () => {
  test('of the topic stops claims everywhere; what runs goes on', async () => {
    await groups.publishAll('g', [1, 2]);
    const running = await groups.claimOne();
    await groups.transport.pause();
    expect(await groups.transport.stats()).toMatchObject({ paused: true });
    await groups.publish('h', 1);
    expect(await groups.process().transport.claim({ limit: 5 })).toEqual([]);
    expect(await groups.transport.ack(running)).toBe(true);
    expect(await groups.transport.claim()).toEqual([]);
    await groups.transport.resume();
    expect(groupsOf(await groups.transport.claim({ limit: 5 })).sort()).toEqual(['g', 'h']);
  });

  test('of the topic ends with a wake-up', async () => {
    await groups.transport.pause();
    await groups.publish('g', 1);
    const claiming = groups.claimOne({ waitMs: 20_000 });
    await groups.transport.resume();
    expect(await claiming).toMatchObject({ group: 'g' });
  });

  test('of a group leaves the others alone, keeps the order and the place', async () => {
    await groups.publishAll('g', [1, 2]);
    await groups.publish('h', 1);
    await groups.transport.pause('g');
    await groups.publish('g', 3);
    expect(await groups.transport.inspect('g')).toMatchObject({
      paused: true,
      depth: 3,
      claimableInMs: null,
    });
    expect(groupsOf(await groups.drain({ limit: 5 }))).toEqual(['h']);
    await groups.transport.resume('g');
    expect(payloadsOf(await groups.drain())).toEqual([1, 2, 3]);
  });

  test('of a group that is held takes effect when its holder is done', async () => {
    await groups.publishAll('g', [1, 2]);
    const holder = await groups.claimOne();
    await groups.transport.pause('g');
    expect(await groups.transport.extend(holder)).toBe(true);
    expect(await groups.transport.ack(holder)).toBe(true);
    expect(await groups.transport.claim()).toEqual([]);
    await groups.transport.resume('g');
    expect(await groups.claimOne()).toMatchObject({ payload: 2 });
  });

  test('of a group that is held outlives the lease', async () => {
    await groups.publish('g', 1);
    await groups.claimOne();
    await groups.transport.pause('g');
    expect(await groups.transport.stats()).toMatchObject({ leased: 1, pausedGroups: 1 });
    await groups.redis.del(groups.key('lock', 'g'));
    expect(await groups.transport.claim()).toEqual([]);
    expect(await groups.transport.stats()).toMatchObject({ leased: 0 });
    await groups.redis.hset(groups.key('paused'), 'g', 1);
    await groups.transport.resume('g');
    expect(await groups.claimOne()).toMatchObject({ attempt: 2 });
  });

  test('of a group that is parked keeps its time', async () => {
    await groups.publish('g', 1);
    await groups.transport.nack(await groups.claimOne(), { delayMs: 60_000 });
    await groups.transport.pause('g');
    expect(await groups.transport.stats()).toMatchObject({ leased: 0, parked: 1 });
    await groups.transport.resume('g');
    expect(await groups.transport.claim()).toEqual([]);
    expect((await groups.transport.inspect('g'))?.claimableInMs).toBeGreaterThan(50_000);
  });

  test('of a group holds for messages to come, over a drain', async () => {
    await groups.transport.pause('g');
    await groups.publish('g', 1);
    expect(await groups.transport.claim()).toEqual([]);
    await groups.transport.purge('g');
    await groups.publish('g', 2);
    expect(await groups.transport.claim()).toEqual([]);
    await groups.transport.resume('g');
    await groups.transport.resume('g');
    expect(payloadsOf(await groups.drain())).toEqual([2]);
  });
});

describe('a rate limit', () => {
  const rate = { max: 2, durationMs: 60_000 };

  test('lets `max` messages of the group begin, then waits for the time to pass', async () => {
    await groups.transport.limit('g', rate);
    await groups.publishAll('g', [1, 2, 3, 4, 5]);
    await groups.publish('free', 1);
    expect(groupsOf(await groups.drain()).sort()).toEqual(['free', 'g', 'g']);
    const state = await groups.transport.inspect('g');
    expect(state).toMatchObject({ depth: 3, parked: true });
    expect(state?.claimableInMs).toBeGreaterThan(50_000);
    await groups.lapse('g');
    expect(payloadsOf(await groups.drain())).toEqual([3, 4]);
  });

  test('lets the group go on by itself when its time has passed', async () => {
    await groups.transport.limit('g', { max: 1, durationMs: 80 });
    await groups.publishAll('g', [1, 2]);
    const before = performance.now();
    await groups.transport.ack(await groups.claimOne());
    await groups.claimOne({ waitMs: 10_000 });
    expect(performance.now() - before).toBeGreaterThanOrEqual(78);
  });

  test('outlives a drain', async () => {
    await groups.transport.limit('g', { max: 1, durationMs: 60_000 });
    await groups.publish('g', 1);
    await groups.drain();
    await groups.publish('g', 2);
    expect(await groups.transport.claim()).toEqual([]);
  });

  test('cuts a batch to what is left of it', async () => {
    await groups.transport.limit('g', rate);
    await groups.publishAll('g', [1, 2, 3, 4]);
    expect(payloadsOf(await groups.transport.claim({ groupBatch: 4 }))).toEqual([1, 2]);
  });

  test('that is taken away lets the group go on at once', async () => {
    await groups.transport.limit('g', rate);
    await groups.publishAll('g', [1, 2, 3]);
    expect(payloadsOf(await groups.drain())).toEqual([1, 2]);
    await groups.transport.limit('g', null);
    expect(payloadsOf(await groups.drain())).toEqual([3]);
    expect(await groups.redis.hexists(groups.key('meta'), 'limited')).toBe(0);
  });

  test.each([
    ['taken away', null],
    ['raised', { max: 10, durationMs: 60_000 }],
  ])('for each group that is %s lets all that wait go on at once', async (_, raised) => {
    const names = Array.from({ length: 350 }, (__, n) => `g${n}`);
    await groups.transport.limitEach({ max: 1, durationMs: 60_000 });
    await groups.transport.limit('own', { max: 1, durationMs: 60_000 });
    const two = [...names, 'own'].flatMap((group) => [1, 2].map((payload) => ({ group, payload })));
    await groups.transport.publishMany(two);
    await groups.transport.nack(await groups.claimOne(), { delayMs: 60_000 }); // g0 waits for a retry
    expect(await groups.drain({ limit: 100 })).toHaveLength(350);
    expect(await groups.transport.stats()).toMatchObject({ parked: 351 });
    await groups.transport.limitEach(raised);
    expect(await groups.transport.stats()).toMatchObject({ parked: 2, ready: 349 });
    const served = groupsOf(await groups.drain({ limit: 100 }));
    expect(new Set(served)).toEqual(new Set(names.slice(1)));
  });

  test('for each group that is raised wakes who waits', async () => {
    await groups.transport.limitEach({ max: 1, durationMs: 60_000 });
    await groups.publishAll('g', [1, 2]);
    await groups.drain();
    const claiming = groups.claimOne({ waitMs: 20_000 });
    await groups.transport.limitEach(null);
    expect(await claiming).toMatchObject({ payload: 2 });
  });

  test('for each group is counted for each by itself, a group’s own limit first', async () => {
    await groups.transport.limitEach({ max: 1, durationMs: 60_000 });
    await groups.transport.limit('wide', { max: 3, durationMs: 60_000 });
    for (const group of ['a', 'b', 'wide']) await groups.publishAll(group, [1, 2, 3, 4]);
    const served = groupsOf(await groups.drain({ limit: 5 }));
    expect(served.sort()).toEqual(['a', 'b', 'wide', 'wide', 'wide']);
  });

  test('lets retries of a held group be settled', async () => {
    await groups.transport.limit('g', { max: 1, durationMs: 60_000 });
    await groups.publish('g', 1);
    const message = await groups.claimOne();
    expect(await groups.transport.nack(message)).toBe(true);
    expect(await groups.transport.claim()).toEqual([]);
    await groups.lapse('g');
    expect(await groups.transport.ack(await groups.claimOne())).toBe(true);
  });
});
