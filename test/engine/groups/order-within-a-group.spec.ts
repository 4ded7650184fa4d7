import { groupsOf, payloadsOf, useGroups } from './groups-fixture.js';

const groups = useGroups('order');

describe('within a group', () => {
  test('messages come in the order of publishing, each when the one before is acked', async () => {
    await groups.publishAll('g', ['e1', 'e2']);
    const first = await groups.claimOne();
    expect(first).toMatchObject({ group: 'g', payload: 'e1', attempt: 1, priority: 0 });
    expect(await groups.transport.claim()).toEqual([]);
    expect(await groups.transport.ack(first)).toBe(true);
    expect(await groups.claimOne()).toMatchObject({ payload: 'e2' });
  });

  test('what is published meanwhile comes after what was there', async () => {
    await groups.publishAll('g', [1, 2]);
    const first = await groups.claimOne();
    await groups.publish('g', 3);
    await groups.transport.ack(first);
    expect(payloadsOf(await groups.drain())).toEqual([2, 3]);
  });

  test('a group that is held stays so when more is published', async () => {
    await groups.publish('g', 1);
    const holder = await groups.claimOne();
    await groups.publish('g', 2);
    expect(await groups.transport.claim({ limit: 10 })).toEqual([]);
    await groups.transport.ack(holder);
  });

  test('a failing head is tried again before those behind it', async () => {
    await groups.publishAll('g', ['A', 'B', 'C']);
    await groups.publish('h', 'busy');
    const seen: unknown[] = [];
    for (const delayMs of [0, 40]) {
      const message = await groups.claimOne({ waitMs: 5_000 });
      seen.push(message.payload);
      await groups.transport.nack(message, { delayMs });
    }
    const other = await groups.claimOne();
    expect(other.group).toBe('h'); // not slowed by the pause of its neighbour
    await groups.transport.ack(other);
    for (let n = 0; n < 3; n++) {
      const message = await groups.claimOne({ waitMs: 5_000 });
      seen.push(message.payload);
      await groups.transport.ack(message);
    }
    expect(seen).toEqual(['A', 'A', 'A', 'B', 'C']);
  });

  test('published many at once they keep the order of the list', async () => {
    const messages = Array.from({ length: 1_200 }, (_, n) => ({ group: `g${n % 3}`, payload: n }));
    const outcomes = await groups.transport.publishMany(messages);
    expect(outcomes).toHaveLength(1_200);
    for (const group of ['g0', 'g1', 'g2']) {
      const stored = await groups.transport.peek(group, { limit: 500 });
      const wanted = messages.filter((message) => message.group === group);
      expect(payloadsOf(stored)).toEqual(payloadsOf(wanted));
    }
  });

  test('published in one tick they keep the order of the calls', async () => {
    const publishing = Array.from({ length: 50 }, (_, n) => groups.publish('g', n));
    await Promise.all(publishing);
    expect(payloadsOf(await groups.drain())).toEqual([...Array(50).keys()]);
  });
});

describe('between groups', () => {
  test('each claim brings another group, and none when all are held', async () => {
    await groups.publishAll('G', ['g1', 'g2']);
    await groups.publish('H', 'h1');
    const [one, two] = [await groups.claimOne(), await groups.claimOne()];
    expect([one.group, two.group].sort()).toEqual(['G', 'H']);
    expect(await groups.transport.claim()).toEqual([]);
    await groups.transport.ack(one.group === 'G' ? one : two);
    expect(await groups.claimOne()).toMatchObject({ group: 'G', payload: 'g2' });
  });

  test('a group served just now waits behind the others', async () => {
    await groups.publishAll('A', [1, 2, 3, 4, 5]);
    const first = await groups.claimOne();
    await groups.publish('B', 1);
    await groups.transport.ack(first);
    expect(await groups.claimOne()).toMatchObject({ group: 'B' });
  });

  test('twenty claims at once on connections of their own bring twenty groups', async () => {
    const names = Array.from({ length: 20 }, (_, n) => `g${n}`);
    await Promise.all(names.map((name) => groups.publish(name, name)));
    const claimers = names.map(() => groups.process().transport);
    const claimed = (await Promise.all(claimers.map((one) => one.claim()))).flat();
    expect(groupsOf(claimed).sort()).toEqual([...names].sort());
  });

  test('one claim brings up to `limit` distinct groups', async () => {
    for (const name of ['a', 'b', 'c', 'd']) await groups.publishAll(name, [1, 2]);
    expect(groupsOf(await groups.transport.claim({ limit: 3 })).sort()).toEqual(['a', 'b', 'c']);
    expect(groupsOf(await groups.transport.claim({ limit: 3 }))).toEqual(['d']);
  });

  test('those that wait longest come first, whatever their number', async () => {
    const names = Array.from({ length: 30 }, (_, n) => `g${n}`);
    for (const name of names) await groups.publishAll(name, [1, 2, 3]);
    const rounds = payloadsOf(await groups.drain({ limit: 7 }));
    const rank = { 1: 0, 2: 1, 3: 2 } as Record<number, number>;
    const order = rounds.map((payload) => rank[payload as number]);
    // a whole round ends before the next but one begins
    expect(Math.max(...order.slice(0, 30))).toBeLessThanOrEqual(1);
    expect(Math.min(...order.slice(60))).toBeGreaterThanOrEqual(1);
  });
});
