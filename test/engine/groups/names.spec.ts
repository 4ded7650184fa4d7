import { groupsOf, useGroups } from './groups-fixture.js';

const groups = useGroups('names');

const NAMES = [
  'a:b',
  'a',
  'b:a',
  ':',
  ' ',
  '123',
  '0',
  '-1',
  '{tag}',
  '%7Btag%7D',
  '%',
  '}{',
  'constructor',
  '__proto__',
  'ready:0',
  'q:a',
  'caf\u00e9',
  'cafe\u0301',
  '馬👩‍👩‍👧',
  '\u202e',
  'x'.repeat(512),
  '馬'.repeat(170),
];

describe('any text of 1 to 512 bytes without control characters', () => {
  test('is a group of its own', async () => {
    for (const name of NAMES) await groups.publishAll(name, [name, 'second']);
    const stats = await groups.transport.stats();
    expect(stats).toMatchObject({ groups: [NAMES.length, 0, 0, 0, 0], backlog: NAMES.length * 2 });
    const claimed = await groups.transport.claim({ limit: 100 });
    expect(groupsOf(claimed).sort()).toEqual([...NAMES].sort());
    for (const message of claimed) {
      expect(message.payload).toBe(message.group);
      expect(await groups.transport.inspect(message.group)).toMatchObject({ depth: 2, leased: 1 });
      expect(await groups.transport.extend(message)).toBe(true);
      expect(await groups.transport.nack(message, { delayMs: 60_000 })).toBe(true);
      expect(await groups.transport.purge(message.group)).toBe(2);
    }
    expect(await groups.transport.depth()).toBe(0);
  });

  test('names a topic, and no two share a message', async () => {
    const topics = NAMES.map((name) => groups.transport.topic(name));
    await Promise.all(topics.map((topic) => topic.publish({ group: 'g', payload: topic.name })));
    for (const topic of topics) {
      expect(groups.transport.topic(topic.name)).toBe(topic);
      const [message, none] = await topic.claim({ limit: 5 });
      expect([message.payload, message.queue, none]).toEqual([topic.name, topic.name, undefined]);
      expect(await topic.ack(message)).toBe(true);
    }
  });
});
