import { createBrokerEngine, QueueBroker } from '../../lib/broker/index.js';
import { RedisConnection } from '../../lib/redis/index.js';
import { collect, idsOf } from '../engine/broker/broker-fixture.js';
import { useCluster } from './client-ways.js';

const WAYS = useCluster();
// their slots lie on different masters
const NAMESPACES = ['default', 'mail', 'sensors', 'a', 'b', 'c'];

describe.each(WAYS)('on a cluster by %s', (way, connection) => {
  const prefix = way.replaceAll(' ', '-');

  test.each(NAMESPACES)('every verb of the namespace %s stays in one slot', async (namespace) => {
    const broker = new QueueBroker({ connection: connection(), prefix, namespace });
    const queue = broker.queue('q');
    await queue.writeMany(['1', '2', '3', '4', '5']);
    await queue.write('6', { keepNewest: 5 });
    await broker.insert([{ queue: 'q', id: 7n, body: 'seven' }]);
    expect((await queue.read({ id: 7n }))?.body).toBe('seven');
    expect(await queue.peekMany({ includeClaimed: true })).toHaveLength(7);
    expect((await queue.move('r'))?.body).toBe('2');
    expect(await queue.find('any')).toEqual([]);
    expect(await queue.hasPending()).toBe(true);
    expect(idsOf(await collect(queue.moveAll('r', { guarantee: 'at-least-once' })))).toHaveLength(
      4,
    );
    const reading = broker.queue('r').readAll({ guarantee: 'at-least-once' });
    await reading.next();
    expect(await broker.recoverStale({ olderThanMs: 0 })).toBe(5);
    await reading.return();
    expect(await broker.broadcast('all')).toBe(2);
    expect(await broker.broadcast('all', { queues: ['r', 's'], createMissing: true })).toBe(2);
    expect(await broker.broadcast('all', { pattern: '[rs]' })).toBe(2);
    await broker.aliases.add('in', 'r');
    expect(await broker.rename('r', 't')).toEqual({ messages: 8, aliases: 1 });
    expect(await broker.aliases.resolve('@in')).toBe('t');
    expect(await broker.aliases.remove('in')).toBe(true);
    expect(await broker.queue('t').deleteMany([1n])).toBe(0);
    expect(await broker.ids.advance(await broker.ids.generate())).toBe(await broker.ids.refresh());
    expect((await broker.stats()).queues).toBe(3);
    expect(await broker.vacuum()).toBe(2);
    const lines = await collect(broker.dump());
    expect(await broker.deleteAllQueues()).toBeGreaterThan(0);
    await broker.load(lines);
    expect(await broker.cleanUp()).toBe(true);
    await broker.close();
  });

  test('waiters hear writes', async () => {
    const broker = new QueueBroker({ connection: connection(), prefix, namespace: 'waiting' });
    const waiter = await broker.waiter(['a', 'b']);
    for (const name of ['a', 'b', 'a']) {
      const waiting = waiter.wait({ timeoutMs: 10_000 });
      await broker.write(name, 'x');
      expect(await waiting).toBe(true);
    }
    await waiter.close();
    await broker.cleanUp();
    await broker.close();
  });

  test('messages are held, settled and given up', async () => {
    const redis = new RedisConnection({ connection: connection() });
    const { engine, driver } = createBrokerEngine({ connection: redis, prefix });
    const target = { queue: 'work', slots: 2, leaseMs: 30_000, attempts: 1 };
    const source = engine.source(target);
    const { signal } = new AbortController();
    const claiming = source.claim({ limit: 1, signal });
    await driver.write('work', 'one');
    const [one] = await claiming;
    await one.extend();
    await one.ack();
    await driver.write('work', 'two');
    const [two] = await source.claim({ limit: 1, signal });
    await two.nack({ error: new Error('no'), retryInMs: null });
    await engine.upkeep(target)[0].run();
    expect(await engine.deadLetters('work').list()).toMatchObject([{ payload: 'two' }]);
    expect(await engine.deadLetters('work').redrive(two.message.id)).toBe(true);
    expect(await engine.health('work')).toMatchObject({ waiting: 1, running: 0 });
    await source.close();
    await driver.cleanUp();
    await redis.close();
  });
});
