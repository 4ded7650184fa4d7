import { groupsOf, useGroups } from './groups-fixture.js';

const groups = useGroups('audit');

/** What is broken by hand, and what the audit says of it. */
const DAMAGES: readonly (readonly [string, string, () => Promise<unknown>])[] = [
  [
    'a live group that is in no tier',
    'group not in its tier',
    () => groups.redis.zrem(groups.key('ready', '0'), 'g'),
  ],
  [
    'a live group that is in two tiers',
    'group not in its tier',
    () => groups.redis.zadd(groups.key('ready', '3'), 1, 'g'),
  ],
  [
    'a group whose messages are gone',
    'group without messages',
    () => groups.redis.del(groups.key('q', 'g')),
  ],
  [
    'a group whose key is no list',
    'group without messages',
    async () => {
      await groups.redis.del(groups.key('q', 'g'));
      await groups.redis.set(groups.key('q', 'g'), 'text');
    },
  ],
  [
    'a group whose tier is forgotten',
    'entry without a group',
    () => groups.redis.hdel(groups.key('prio'), 'g'),
  ],
  [
    'attempts of no group',
    'entry without a group',
    () => groups.redis.hset(groups.key('tries'), 'gone', 2),
  ],
  [
    'a parked group that is none',
    'entry without a group',
    () => groups.redis.zadd(groups.key('parked'), 9e15, 'gone'),
  ],
  [
    'a dead letter without its text',
    'half a dead letter',
    () => groups.redis.zadd(groups.key('dead'), 1, 'gone'),
  ],
  [
    'a dead letter without its place',
    'half a dead letter',
    () => groups.redis.hset(groups.key('letters'), 'gone', 'x'),
  ],
  [
    'a wrong sum of messages',
    'backlog counter disagrees',
    () => groups.redis.hincrby(groups.key('meta'), 'backlog', 5),
  ],
];

describe('the audit', () => {
  beforeEach(async () => {
    for (const group of ['f', 'g', 'h']) await groups.publishAll(group, [1, 2]);
  });

  test('finds nothing in a topic that works, whatever its groups do', async () => {
    const [held, parked, dead] = await groups.transport.claim({ limit: 3 });
    await groups.transport.nack(parked, { delayMs: 60_000 });
    await groups.transport.deadLetter(dead, 'no use');
    await groups.transport.pause('paused');
    await groups.publish('paused', 1);
    await groups.transport.limitEach({ max: 1, durationMs: 60_000 });
    await groups.transport.claim({ limit: 9 });
    await groups.transport.ack(held);
    expect(await groups.transport.audit()).toEqual([]);
  });

  test.each(DAMAGES)('finds %s and mends it', async (_, problem, damage) => {
    await damage();
    const found = await groups.transport.audit();
    expect(found.map((finding) => finding.problem)).toContain(problem);
    expect(await groups.transport.audit()).toEqual(found); // it only looked
    await groups.transport.audit({ repair: true });
    expect(await groups.transport.audit()).toEqual([]);
    const served = groupsOf(await groups.drain({ limit: 5 }));
    expect(served.filter((group) => group === 'f')).toHaveLength(2);
  });

  test('mends a held group without taking it from its holder', async () => {
    const held = await groups.claimOne();
    await groups.redis.zrem(groups.key('ready', '0'), held.group);
    await groups.transport.audit({ repair: true });
    expect(groupsOf(await groups.transport.claim({ limit: 5 }))).not.toContain(held.group);
    expect(await groups.transport.ack(held)).toBe(true);
  });

  test('walks any number of groups in bounded steps', async () => {
    const messages = Array.from({ length: 700 }, (_, n) => ({ group: `many${n}`, payload: n }));
    await groups.transport.publishMany(messages);
    expect(await groups.transport.audit()).toEqual([]);
    await groups.redis.zrem(groups.key('ready', '0'), 'many5', 'many600');
    expect(await groups.transport.audit({ repair: true })).toHaveLength(2);
  });
});
