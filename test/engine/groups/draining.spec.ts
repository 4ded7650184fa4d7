import { groupsOf, useGroups } from './groups-fixture.js';

const groups = useGroups('draining');

describe('a group that has drained', () => {
  test('leaves nothing behind', async () => {
    await groups.publish('G', 'only');
    const message = await groups.claimOne();
    expect(await groups.keys()).toEqual(
      expect.arrayContaining(['lock:G', 'prio', 'q:G', 'ready:0', 'tries']),
    );
    await groups.transport.ack(message);
    expect(await groups.transport.claim()).toEqual([]);
    const left = (await groups.keys()).filter((key) => !/^(settled|call):/.test(key));
    expect(left.sort()).toEqual(['fence', 'meta', 'signal']);
    expect(await groups.transport.inspect('G')).toBe(null);
    expect(await groups.transport.depth()).toBe(0);
  });

  test('takes a new priority with its next message', async () => {
    await groups.publish('G', 1, { priority: 3 });
    await groups.drain();
    await groups.publish('G', 2, { priority: 1 });
    expect(await groups.claimOne()).toMatchObject({ priority: 1, attempt: 1 });
  });

  test('keeps no attempts', async () => {
    await groups.publish('G', 1);
    await groups.transport.nack(await groups.claimOne());
    const again = await groups.claimOne();
    expect(again.attempt).toBe(2);
    await groups.transport.ack(again);
    await groups.publish('G', 2);
    expect((await groups.claimOne()).attempt).toBe(1);
  });

  test('by hand is forgotten by the next claim, its priority and attempts too', async () => {
    await groups.publish('stale', 1, { priority: 4 });
    await groups.transport.nack(await groups.claimOne());
    await groups.redis.del(groups.key('q', 'stale'));
    await groups.redis.hincrby(groups.key('meta'), 'backlog', -1);
    await groups.publish('live', 2);
    expect(groupsOf(await groups.transport.claim({ limit: 2 }))).toEqual(['live']);
    expect(await groups.scoreOf('stale', 4)).toBe(null);
    for (const table of ['prio', 'tries'])
      expect(await groups.redis.hget(groups.key(table), 'stale')).toBe(null);
  });

  test('by hand in great numbers does not hide those that live', async () => {
    const names = Array.from({ length: 60 }, (_, n) => `a${n}`);
    await Promise.all(names.map((name) => groups.publish(name, 1)));
    await groups.redis.del(...names.map((name) => groups.key('q', name)));
    await groups.redis.hincrby(groups.key('meta'), 'backlog', -60);
    await groups.publish('z', 'live');
    expect(await groups.claimOne()).toMatchObject({ group: 'z' });
  });
});
