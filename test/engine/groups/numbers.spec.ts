import { payloadsOf, useGroups } from './groups-fixture.js';

const groups = useGroups('numbers');

describe('the numbers of a topic', () => {
  test('are all zero in the beginning', async () => {
    expect(await groups.transport.stats()).toEqual({
      groups: [0, 0, 0, 0, 0],
      backlog: 0,
      ready: 0,
      leased: 0,
      parked: 0,
      pausedGroups: 0,
      dead: 0,
      oldestWaitingMs: 0,
      paused: false,
    });
    expect(await groups.transport.depth()).toBe(0);
  });

  test('count groups a tier, messages, and what each group does', async () => {
    for (let n = 0; n < 6; n++) {
      await groups.publishAll(`g${n}`, [1, 2]);
      await groups.publish(`h${n}`, 1, { priority: 3 });
    }
    const held = await groups.transport.claim({ limit: 4 });
    await groups.transport.nack(held[0], { delayMs: 60_000 });
    await groups.transport.deadLetter(held[1], 'no use');
    expect(await groups.transport.stats()).toMatchObject({
      groups: [6, 0, 0, 6, 0],
      backlog: 17,
      ready: 9,
      leased: 2,
      parked: 1,
      dead: 1,
    });
    expect(await groups.engine.health(groups.topic)).toMatchObject({ waiting: 9, running: 2 });
  });

  test('tell the age of what has waited longest', async () => {
    await groups.publish('g', 1);
    await new Promise((resolve) => setTimeout(resolve, 30));
    await groups.publish('h', 1);
    const { oldestWaitingMs } = await groups.transport.stats();
    expect(oldestWaitingMs).toBeGreaterThanOrEqual(29);
    expect(oldestWaitingMs).toBeLessThan(10_000);
  });

  test('do not count a lease that is over, without any sweep', async () => {
    await groups.publish('g', 1);
    await groups.claimOne({ leaseMs: 1 });
    await new Promise((resolve) => setTimeout(resolve, 10));
    expect(await groups.transport.stats()).toMatchObject({ leased: 0, ready: 1 });
  });
});

describe('one group', () => {
  test('can be looked into without claiming', async () => {
    const id = await groups.publish('g', { n: 1 }, { headers: { a: 'b' } });
    await groups.publishAll('g', [2, 3]);
    const before = await groups.snapshot();
    const [head, ...rest] = await groups.transport.peek('g');
    expect(head).toMatchObject({ id, group: 'g', payload: { n: 1 }, headers: { a: 'b' } });
    expect(head.unreadable).toBe(false);
    expect(payloadsOf(rest)).toEqual([2, 3]);
    expect(payloadsOf(await groups.transport.peek('g', { limit: 1, offset: 1 }))).toEqual([2]);
    expect(await groups.transport.peek('none')).toEqual([]);
    expect(await groups.snapshot()).toEqual(before);
  });

  test('tells its state', async () => {
    expect(await groups.transport.inspect('g')).toBe(null);
    expect(await groups.transport.depth('g')).toBe(0);
    await groups.publish('g', 1, { priority: 2 });
    expect(await groups.transport.inspect('g')).toEqual({
      group: 'g',
      priority: 2,
      depth: 1,
      attempts: 0,
      leased: 0,
      parked: false,
      paused: false,
      claimableInMs: 0,
    });
    await groups.claimOne({ leaseMs: 60_000 });
    const state = await groups.transport.inspect('g');
    expect(state).toMatchObject({ leased: 1, attempts: 1 });
    expect(state?.claimableInMs).toBeGreaterThan(50_000);
  });
});
