import { payloadsOf, useGroups } from './groups-fixture.js';

const groups = useGroups('removing');

const publishThree = async () => {
  const ids = [];
  for (const payload of ['a', 'b', 'c']) ids.push(await groups.publish('g', payload));
  return ids;
};

describe('remove', () => {
  test.each([0, 1, 2])('takes message %p out and leaves no hole', async (at) => {
    const ids = await publishThree();
    expect(await groups.transport.remove('g', ids[at])).toBe(true);
    expect(await groups.transport.remove('g', ids[at])).toBe(false);
    const left = ['a', 'b', 'c'].filter((_, n) => n !== at);
    expect(payloadsOf(await groups.drain())).toEqual(left);
  });

  test('of the message that runs voids its lease, and the next one comes', async () => {
    const ids = await publishThree();
    const holder = await groups.claimOne();
    expect(await groups.transport.remove('g', ids[0])).toBe(true);
    expect(await groups.transport.ack(holder)).toBe(false);
    expect(await groups.claimOne()).toMatchObject({ payload: 'b', attempt: 1 });
  });

  test('of a message behind the one that runs leaves its holder alone', async () => {
    const ids = await publishThree();
    const holder = await groups.claimOne();
    await groups.transport.remove('g', ids[1]);
    expect(await groups.transport.ack(holder)).toBe(true);
    expect(payloadsOf(await groups.drain())).toEqual(['c']);
  });

  test('of a message further back in a batch leaves those before it to their holder', async () => {
    const ids = await publishThree();
    const [first, second, third] = await groups.transport.claim({ groupBatch: 3 });
    expect(await groups.transport.remove('g', ids[2])).toBe(true);
    expect(await groups.transport.claim()).toEqual([]);
    expect(await groups.transport.extend(first)).toBe(true);
    expect(await groups.transport.ack(first)).toBe(true);
    expect(await groups.transport.claim()).toEqual([]);
    expect(await groups.transport.ack(second)).toBe(true);
    expect(await groups.transport.ack(third)).toBe(false);
    expect(await groups.transport.depth('g')).toBe(0);
  });

  test('of the next message of a batch ends the lease with the one that runs', async () => {
    const ids = await publishThree();
    const [first, , third] = await groups.transport.claim({ groupBatch: 3 });
    await groups.transport.remove('g', ids[1]);
    expect(await groups.transport.ack(first)).toBe(true);
    expect(await groups.transport.ack(third)).toBe(false);
    expect(await groups.claimOne()).toMatchObject({ payload: 'c', attempt: 1 });
  });

  test.each(['nack', 'release'] as const)(
    'of the next message of a batch keeps the running one in front: %s',
    async (verb) => {
      const ids = await publishThree();
      const [first] = await groups.transport.claim({ groupBatch: 3 });
      await groups.transport.remove('g', ids[1]);
      expect(await groups.transport[verb](first)).toBe(true);
      expect(payloadsOf(await groups.drain())).toEqual(['a', 'c']);
    },
  );

  test('from a batch that a loop runs: nothing runs twice, and what was removed is told so', async () => {
    const ids = await publishThree();
    const { engine } = groups.process();
    const source = engine.source(groups.target({ slots: 2, groupBatch: 3 }));
    const { signal } = new AbortController();
    const [first] = await source.claim({ limit: 1, signal });
    await groups.transport.remove('g', ids[1]);
    const acked = first.ack();
    const [second] = await source.claim({ limit: 1, signal }); // begun before the answer came
    const reasons: Error[] = [];
    second.onRevoked((reason) => reasons.push(reason));
    await acked;
    expect(reasons).toMatchObject([{ code: 'LEASE_LOST' }]);
    await expect(second.ack()).rejects.toMatchObject({ code: 'LEASE_LOST' });
    const [third] = await source.claim({ limit: 1, signal });
    expect(third.message).toMatchObject({ payload: 'c', attempt: 1 });
    await third.ack();
    await source.close();
    expect(await groups.transport.depth('g')).toBe(0);
  });

  test('of a parked head lets the group go on at once', async () => {
    const ids = await publishThree();
    await groups.transport.nack(await groups.claimOne(), { delayMs: 60_000 });
    await groups.transport.remove('g', ids[1]);
    expect(await groups.transport.claim()).toEqual([]);
    await groups.transport.remove('g', ids[0]);
    expect(await groups.claimOne()).toMatchObject({ payload: 'c', attempt: 1 });
  });

  test('of the last message ends the group', async () => {
    const id = await groups.publish('g', 1);
    await groups.claimOne();
    expect(await groups.transport.remove('g', id)).toBe(true);
    expect((await groups.keys()).filter((key) => /^(q|lock):|prio|tries|ready/.test(key))).toEqual(
      [],
    );
  });

  test('finds a message in a long group, wherever it stands', async () => {
    const messages = Array.from({ length: 1_100 }, (_, n) => ({ group: 'g', payload: n }));
    const ids = (await groups.transport.publishMany(messages)).map(({ id }) => id);
    for (const at of [1_099, 600, 0]) {
      expect(await groups.transport.remove('g', ids[at])).toBe(true);
    }
    expect(await groups.transport.remove('g', 'unknown')).toBe(false);
    const stored = [
      ...(await groups.transport.peek('g', { limit: 500 })),
      ...(await groups.transport.peek('g', { limit: 500, offset: 500 })),
      ...(await groups.transport.peek('g', { limit: 500, offset: 1_000 })),
    ];
    const left = [...messages.keys()].filter((n) => ![1_099, 600, 0].includes(n));
    expect(payloadsOf(stored)).toEqual(left);
  });

  test('wakes a claim that waits for the group', async () => {
    const ids = await publishThree();
    await groups.transport.nack(await groups.claimOne(), { delayMs: 60_000 });
    const claiming = groups.claimOne({ waitMs: 20_000 });
    await groups.transport.remove('g', ids[0]);
    expect(await claiming).toMatchObject({ payload: 'b' });
  });
});

describe('purge', () => {
  test('deletes all messages of one group and leaves no lock', async () => {
    await publishThree();
    await groups.publish('other', 1);
    const holder = await groups.claimOne();
    expect(await groups.transport.purge('g')).toBe(3);
    expect(await groups.transport.purge('g')).toBe(0);
    expect(await groups.transport.ack(holder)).toBe(false);
    expect(await groups.transport.depth()).toBe(1);
    await groups.publish('g', 'new', { priority: 2 });
    expect(await groups.claimOne({ minPriority: 2 })).toMatchObject({ payload: 'new', attempt: 1 });
  });
});
