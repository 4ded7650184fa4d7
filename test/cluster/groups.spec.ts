import { createGroupsEngine, GroupTransport } from '../../lib/groups/index.js';
import { RedisConnection } from '../../lib/redis/index.js';
import { useCluster } from './client-ways.js';

const WAYS = useCluster();

describe.each(WAYS)('on a cluster by %s', (way, connection) => {
  const topics = Array.from({ length: 12 }, (_, n) => `${way} topic ${n}`);

  test('every verb of every topic stays in one slot', async () => {
    const transport = new GroupTransport({ connection: connection(), prefix: 'c' });
    for (const name of topics) {
      const topic = transport.topic(name);
      await topic.publishMany([1, 2, 3, 4].map((payload) => ({ group: '{g}', payload })));
      await topic.limitEach({ max: 1_000, durationMs: 1_000 });
      await topic.limit('{g}', { max: 1_000, durationMs: 1_000 });
      await topic.pause('{g}');
      expect(await topic.claim()).toEqual([]);
      await topic.resume('{g}');
      const [first, second] = await topic.claim({ groupBatch: 2, waitMs: 5_000 });
      expect(await topic.extend(first)).toBe(true);
      expect(await topic.ack(first)).toBe(true);
      expect(await topic.nack(second, { delayMs: 20 })).toBe(true);
      const [again] = await topic.claim({ waitMs: 10_000 });
      expect(again).toMatchObject({ id: second.id, attempt: 2, queue: name });
      expect(await topic.deadLetter(again, 'no use')).toBe(true);
      expect(await topic.deadLetters.redrive(again.id)).toBe(true);
      expect(await topic.remove('{g}', again.id)).toBe(true);
      const [held] = await topic.claim();
      expect(await topic.release(held)).toBe(true);
      expect(await topic.peek('{g}')).toHaveLength(2);
      expect(await topic.stats()).toMatchObject({ backlog: 2, ready: 1, dead: 0 });
      expect(await topic.audit()).toEqual([]);
      expect(await topic.purge('{g}')).toBe(2);
    }
    await transport.close();
  }, 60_000);

  test('waiting sources of many topics wake, each by its own message', async () => {
    const link = new RedisConnection({ connection: connection() });
    const { engine, driver } = createGroupsEngine({ connection: link, prefix: 'w' });
    const { signal } = new AbortController();
    const claims = topics.slice(0, 6).map((queue) => {
      const source = engine.source({ queue, slots: 1, leaseMs: 30_000, attempts: 3 });
      return source.claim({ limit: 1, signal });
    });
    for (const name of topics.slice(0, 6))
      await driver.topic(name).publish({ group: 'g', payload: name });
    const claimed = (await Promise.all(claims)).flat();
    expect(claimed.map(({ message }) => message.payload)).toEqual(topics.slice(0, 6));
    await Promise.all(claimed.map((delivery) => delivery.ack()));
    await link.close();
  }, 60_000);
});
