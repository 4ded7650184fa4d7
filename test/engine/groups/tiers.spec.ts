import { groupsOf, useGroups } from './groups-fixture.js';

const groups = useGroups('tiers');

/** The group that a loop's next claim brings. */
async function nextOf(source: ReturnType<typeof groups.engine.source>): Promise<string> {
  const [delivery] = await source.claim({ limit: 1, signal: new AbortController().signal });
  await delivery.ack();
  return (delivery.message as unknown as { group: string }).group;
}

describe('tiers', () => {
  test('a lowest priority leaves the groups below it alone', async () => {
    await groups.publish('lo', 1, { priority: 0 });
    await groups.publish('hi', 1, { priority: 2 });
    const high = await groups.claimOne({ minPriority: 2 });
    expect(high.group).toBe('hi');
    await groups.transport.ack(high);
    expect(await groups.transport.claim({ minPriority: 2 })).toEqual([]);
    expect(await groups.claimOne({ minPriority: 0 })).toMatchObject({ group: 'lo' });
  });

  test('the first message of a live group fixes its tier', async () => {
    await groups.publish('g', 1, { priority: 1 });
    await groups.publish('g', 2, { priority: 4 });
    expect(await groups.transport.claim({ minPriority: 2 })).toEqual([]);
    expect(await groups.claimOne({ minPriority: 1 })).toMatchObject({ priority: 1 });
  });

  test.each([
    [99, 4],
    [-3, 0],
    [4, 4],
    [0, 0],
  ])('priority %p is held within the tiers: %p', async (priority, tier) => {
    await groups.publish('g', 1, { priority });
    expect(await groups.scoreOf('g', tier)).toBeLessThan(1);
    expect(await groups.claimOne()).toMatchObject({ priority: tier });
  });

  test('a lowest priority above 4 yields nothing, one below 0 is 0', async () => {
    await groups.publish('g', 1, { priority: 4 });
    for (const minPriority of [5, 99]) {
      expect(await groups.transport.claim({ minPriority })).toEqual([]);
      expect(await groups.transport.claim({ minPriority, waitMs: 60_000 })).toEqual([]);
    }
    expect(await groups.transport.claim({ minPriority: -7 })).toHaveLength(1);
  });

  test('without a lowest priority the group that waits longest comes, ties by the lowest tier', async () => {
    for (const priority of [4, 2, 0]) await groups.publish(`p${priority}`, 1, { priority });
    expect(groupsOf(await groups.transport.claim({ limit: 3 }))).toEqual(['p0', 'p2', 'p4']);
  });

  test('a high group is found behind any number of low ones', async () => {
    const low = Array.from({ length: 300 }, (_, n) => ({ group: `lo${n}`, payload: n }));
    await groups.transport.publishMany(low);
    await groups.publish('hi', 1, { priority: 3 });
    expect(await groups.claimOne({ minPriority: 1 })).toMatchObject({ group: 'hi' });
  });

  test('a claim of several takes those that wait longest over all tiers', async () => {
    const places = [
      ['a', 4, 500],
      ['b', 0, 100],
      ['c', 2, 300],
      ['d', 2, 200],
      ['e', 0, 400],
    ] as const;
    for (const [group, priority, score] of places) {
      await groups.publish(group, 1, { priority });
      await groups.redis.zadd(groups.key('ready', String(priority)), score, group);
    }
    expect(groupsOf(await groups.transport.claim({ limit: 4 }))).toEqual(['b', 'd', 'c', 'e']);
  });
});

describe('the share of claims for high tiers', () => {
  test('of 1 takes the high group first, and low ones when there is no high one', async () => {
    for (const group of ['lo1', 'lo2', 'lo3']) await groups.publish(group, 1);
    await groups.publish('hi', 1, { priority: 2 });
    const tiers = { highRatio: 1, priorityThreshold: 2 };
    const source = groups.engine.source(groups.target(tiers));
    expect(await nextOf(source)).toBe('hi');
    expect(await nextOf(source)).toMatch(/^lo/);
    await source.close();
  });

  test('of 0 gives high tiers no preference', async () => {
    await groups.publish('zz-high', 1, { priority: 4 });
    await groups.publish('aa-low', 1);
    const source = groups.engine.source(groups.target());
    expect(await nextOf(source)).toBe('aa-low');
    await source.close();
  });

  test('is about its part of the claims', async () => {
    const each = (name: string, priority: number) =>
      Array.from({ length: 200 }, (_, n) => ({ group: `${name}${n}`, payload: n, priority }));
    await groups.transport.publishMany([...each('lo', 0), ...each('hi', 3)]);
    const source = groups.engine.source(groups.target({ highRatio: 0.5 }));
    let high = 0;
    for (let n = 0; n < 150; n++) high += (await nextOf(source)).startsWith('hi') ? 1 : 0;
    expect(high).toBeGreaterThan(40);
    expect(high).toBeLessThan(110);
    await source.close();
  });
});

describe('weights', () => {
  const endless = (priority: number) =>
    Array.from({ length: 150 }, (_, n) => ({ group: `p${priority}-${n}`, payload: n, priority }));

  test('keep low tiers from starving while high ones never end', async () => {
    await groups.transport.publishMany([...endless(4), ...endless(0)]);
    const source = groups.engine.source(groups.target({ weights: [1, 1, 1, 1, 4] }));
    let low = 0;
    for (let n = 0; n < 120; n++) low += (await nextOf(source)).startsWith('p0') ? 1 : 0;
    expect(low).toBeGreaterThan(8);
    expect(low).toBeLessThan(70);
    await source.close();
  });

  test('of 0 serve a tier only when no other has work', async () => {
    await groups.publish('low', 1);
    await groups.publish('high', 1, { priority: 4 });
    const source = groups.engine.source(groups.target({ weights: [0, 1, 1, 1, 1] }));
    expect([await nextOf(source), await nextOf(source)]).toEqual(['high', 'low']);
    await source.close();
  });
});

describe('new groups', () => {
  test('of a tier come in the order of their arrival, in one call and in many', async () => {
    const names = ['z', 'b', 'y', 'a', 'x'];
    await groups.transport.publishMany(names.map((group) => ({ group, payload: 1 })));
    for (const group of ['n', 'c', 'm']) await groups.publish(group, 1);
    const served = groupsOf(await groups.transport.claim({ limit: 8 }));
    expect(served).toEqual([...names, 'n', 'c', 'm']);
  });

  test('come behind one that was given back without a delay', async () => {
    await groups.publish('z-failed', 1);
    const failed = await groups.claimOne();
    await groups.publish('a-new', 1);
    await groups.transport.nack(failed);
    expect(groupsOf(await groups.transport.claim({ limit: 2 }))).toEqual(['z-failed', 'a-new']);
  });

  test('come ahead of those that wait, unless the option says otherwise', async () => {
    await groups.publishAll('old', [1, 2]);
    await groups.transport.ack(await groups.claimOne());
    await groups.publish('new', 1);
    expect(await groups.claimOne()).toMatchObject({ group: 'new' });
  });

  test('come behind those that wait with newGroupsFirst: false', async () => {
    const { transport } = groups.process({ newGroupsFirst: false });
    await groups.publishAll('old', [1, 2]);
    await groups.transport.ack(await groups.claimOne());
    await new Promise((resolve) => setTimeout(resolve, 3));
    await transport.publish({ group: 'a-new', payload: 1 });
    expect(await groups.claimOne()).toMatchObject({ group: 'old' });
    expect(await groups.claimOne()).toMatchObject({ group: 'a-new' });
  });
});
