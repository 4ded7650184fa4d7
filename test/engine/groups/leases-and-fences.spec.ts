import { useGroups } from './groups-fixture.js';

const groups = useGroups('leases');

const publishAndClaim = async (more: object = {}) => {
  await groups.publish('g', 'head');
  return groups.claimOne(more);
};

describe('a lease', () => {
  test('keeps the group from everyone else', async () => {
    await publishAndClaim();
    expect(await groups.process().transport.claim()).toEqual([]);
  });

  test('that is over brings the same message to another, without a sweep', async () => {
    const first = await publishAndClaim({ leaseMs: 50 });
    const other = groups.process().transport;
    const [second] = await other.claim({ waitMs: 10_000 });
    expect(second).toMatchObject({ id: first.id, attempt: 2 });
    expect(second.fence).toBeGreaterThan(first.fence);
  });

  test('that is over is refused to its holder, also when nobody else holds the group', async () => {
    const message = await publishAndClaim();
    await groups.lapse('g');
    const before = await groups.snapshot();
    expect(await groups.transport.ack(message)).toBe(false);
    expect(await groups.transport.nack(message)).toBe(false);
    expect(await groups.transport.extend(message)).toBe(false);
    expect(await groups.snapshot()).toEqual(before);
    expect(await groups.claimOne()).toMatchObject({ id: message.id });
  });

  test('moves lock and place together when it is extended', async () => {
    const message = await publishAndClaim({ leaseMs: 5_000 });
    expect(await groups.transport.extend(message, { leaseMs: 60_000 })).toBe(true);
    const [lock, score, now] = [
      await groups.redis.pttl(groups.key('lock', 'g')),
      (await groups.scoreOf('g')) ?? 0,
      await groups.now(),
    ];
    expect(lock).toBeGreaterThan(50_000);
    expect(Math.abs(now + lock - score)).toBeLessThan(1_000);
  });

  test('never leaves a group due while its lock lives', async () => {
    for (let n = 0; n < 30; n++) await groups.publish(`g${n}`, n);
    await groups.transport.claim({ limit: 30, leaseMs: 20 });
    const again = new Set<string>();
    while (again.size < 30) {
      for (const { group } of await groups.transport.claim({ limit: 30, waitMs: 5_000 }))
        again.add(group);
    }
    expect(again.size).toBe(30);
  });

  test('whose place came too early stands in nobody’s way', async () => {
    for (let n = 0; n < 40; n++) await groups.publish(`a${String(n).padStart(2, '0')}`, n);
    const held = await groups.transport.claim({ limit: 40 });
    const early = held.flatMap(({ group }) => ['1', group]);
    await groups.redis.zadd(groups.key('ready', '0'), ...early);
    await groups.publish('free', 1);
    await groups.redis.zadd(groups.key('ready', '0'), 2, 'free');
    expect(await groups.claimOne()).toMatchObject({ group: 'free' });
    expect(await groups.scoreOf('a00')).toBeGreaterThan(await groups.now());
  });
});

describe('an ack', () => {
  test('by a late holder does not touch the run of the next one', async () => {
    const late = await publishAndClaim();
    await groups.lapse('g');
    const holder = await groups.claimOne();
    expect(await groups.transport.ack(late)).toBe(false);
    expect(await groups.transport.depth('g')).toBe(1);
    expect(await groups.transport.ack(holder)).toBe(true);
  });

  test('repeated by the same holder succeeds again and takes nothing more', async () => {
    await groups.publishAll('g', [1, 2]);
    const first = await groups.claimOne();
    expect(await groups.transport.ack(first)).toBe(true);
    expect(await groups.transport.ack(first)).toBe(true);
    expect(await groups.transport.depth('g')).toBe(1);
    const second = await groups.claimOne();
    expect(await groups.transport.ack(first)).toBe(true);
    expect(await groups.transport.depth('g')).toBe(1);
    expect(await groups.transport.ack(second)).toBe(true);
  });

  test('after a release or a purge is refused', async () => {
    const message = await publishAndClaim();
    await groups.transport.release(message);
    expect(await groups.transport.ack(message)).toBe(false);
    const again = await groups.claimOne();
    await groups.transport.purge('g');
    expect(await groups.transport.ack(again)).toBe(false);
  });
});

describe('fences', () => {
  test('grow over all groups, over a drain and over a loss of data', async () => {
    const fences: number[] = [];
    for (let n = 0; n < 4; n++) {
      await groups.publish(`g${n % 2}`, n);
      const message = await groups.claimOne();
      expect(message.token).toBe(String(message.fence));
      fences.push(message.fence);
      await groups.transport.ack(message);
    }
    await groups.redis.del(...(await groups.keys()).map((key) => groups.key(key)));
    await groups.publish('g0', 'new');
    fences.push((await groups.claimOne()).fence);
    expect(fences).toEqual([...new Set(fences)].sort((a, b) => a - b));
    for (const fence of fences) expect(Number.isSafeInteger(fence)).toBe(true);
  });
});
