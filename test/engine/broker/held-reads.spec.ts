import {
  createBrokerEngine,
  type BrokerEngine,
  type QueueBroker,
} from '../../../lib/broker/index.js';
import type { Delivery, DeliverySource } from '../../../lib/contract/index.js';
import { RedisConnection } from '../../../lib/redis/index.js';
import { bodiesOf, refusal, useBroker } from './broker-fixture.js';

const fixture = useBroker('broker-held');
const target = { queue: 'q', slots: 4, leaseMs: 30_000, attempts: 2 };
const { signal } = new AbortController();
const error = new Error('no luck');

let connection: RedisConnection;
let engine: BrokerEngine;
let broker: QueueBroker;
let source: DeliverySource;

beforeEach(() => {
  const { url, prefix, namespace } = fixture;
  connection = new RedisConnection({ connection: { url } });
  const options = { namespace, keepDead: { count: 3 } };
  ({ engine, driver: broker } = createBrokerEngine({ connection, prefix, options }));
  source = engine.source(target);
});

afterEach(async () => {
  await source.close();
  await connection.close();
});

const hold = async (limit = 1): Promise<readonly Delivery[]> => source.claim({ limit, signal });
const upkeep = () => engine.upkeep(target)[0].run();

describe('a held read', () => {
  it('is reserved: others do not take it, and delete and rename refuse', async () => {
    await broker.queue('q').writeMany(['one', 'two']);
    const [one] = await hold();
    expect((await fixture.queue('q').read())?.body).toBe('two');
    expect(await refusal(() => fixture.queue('q').deleteAll())).toMatchObject({ code: 'RESERVED' });
    expect(await refusal(() => fixture.broker.rename('q', 'r'))).toMatchObject({
      code: 'RESERVED',
    });
    await one.ack();
    expect(await fixture.queue('q').stats()).toMatchObject({ pending: 0, claimed: 2, reserved: 0 });
  });

  it('tells when the message was written', async () => {
    const id = await broker.write('q', 'x');
    const [{ message }] = await hold();
    expect(message.enqueuedAt).toBe(Number(id / 1_000_000n));
    expect(Math.abs(message.enqueuedAt - Date.now())).toBeLessThan(60_000);
  });

  it('of a silent holder is given back before any verb that looks at the queue', async () => {
    for (const verb of [
      async () => expect((await fixture.queue('q').read())?.body).toBe('x'),
      async () => expect((await fixture.queue('q').move('r'))?.body).toBe('x'),
      async () => expect(await fixture.queue('q').deleteAll()).toBe(true),
      async () => expect((await fixture.broker.rename('q', 'r')).messages).toBe(1),
      async () => {
        await fixture.queue('q').write('y', { keepNewest: 1 });
        expect(bodiesOf(await fixture.queue('q').peekMany())).toEqual(['y']);
      },
    ]) {
      await fixture.broker.deleteAllQueues();
      await broker.write('q', 'x');
      const [delivery] = await hold();
      await fixture.lapse('q');
      await verb();
      await expect(delivery.ack()).rejects.toMatchObject({ code: 'LEASE_LOST' });
    }
  });

  it('that no holder survives is a dead letter after its attempts', async () => {
    const id = await broker.write('q', 'kills');
    for (let attempt = 1; attempt <= target.attempts; attempt++) {
      const [{ message }] = await hold();
      expect(message.attempt).toBe(attempt);
      await fixture.lapse('q');
      await upkeep();
    }
    const [letter] = await engine.deadLetters('q').list();
    expect(letter).toMatchObject({ payload: 'kills', attempts: 2 });
    expect(letter.reason).toContain('the lease ended');
    expect(letter.id).toBe(id.toString());
    expect(await broker.queue('q').stats()).toMatchObject({ pending: 0, dead: 1, exists: true });
  });

  it('that is postponed is not read before it is due', async () => {
    await broker.write('q', 'later');
    const [delivery] = await hold();
    await delivery.nack({ error, retryInMs: 3_600_000 });
    expect(await fixture.queue('q').read()).toBe(null);
    expect(await broker.queue('q').stats()).toMatchObject({ pending: 1, reserved: 1 });
    expect(await upkeep()).toMatchObject({ nextInMs: expect.any(Number) as number });
    await fixture.lapse('q');
    expect((await fixture.queue('q').read())?.body).toBe('later');
  });

  it('keeps as many dead letters as it is told to', async () => {
    await broker.queue('q').writeMany(['1', '2', '3', '4', '5']);
    for (const delivery of await hold(5)) await delivery.nack({ error, retryInMs: null });
    const letters = await engine.deadLetters('q').list();
    expect(letters.map(({ payload }) => payload).sort()).toEqual(['3', '4', '5']);
    expect(await engine.deadLetters('q').drop(letters[0].id)).toBe(true);
    for (const id of ['x', '', '1', '9'.repeat(19)]) {
      expect(await engine.deadLetters('q').redrive(id)).toBe(false);
    }
  });

  it('gives attempts back to nobody but who redrives', async () => {
    await broker.write('q', 'x');
    const [first] = await hold();
    await first.nack({ error, retryInMs: null });
    await engine.deadLetters('q').redrive(first.message.id);
    const [again] = await hold();
    expect(again.message.attempt).toBe(2);
    await again.ack();
    expect(await broker.vacuum()).toBe(1);
    expect(await fixture.redis.exists(fixture.key('runs'))).toBe(0);
  });

  it('tells how its queue is doing', async () => {
    await broker.queue('q').writeMany(['1', '2', '3']);
    await hold();
    const health = await engine.health('q');
    expect(health).toMatchObject({ connected: true, waiting: 2, running: 1 });
    expect(health.oldestWaitingMs).toBeLessThan(60_000);
    expect(await engine.health('empty')).toMatchObject({ waiting: 0, oldestWaitingMs: 0 });
  });

  it('wakes for a message although the note of it was lost', async () => {
    const waiting = hold();
    await broker.queue('q').stats();
    const id = '0000000000000000005'; // put there by hand: no note
    await fixture.redis.hset(fixture.key('bodies'), id, 'unheard');
    await fixture.redis.sadd(fixture.key('queues'), 'q');
    await fixture.redis.hset(fixture.key('meta'), 'last', id);
    await fixture.redis.zadd(fixture.key('q', 'q', 'pending'), 0, id);
    const [delivery] = await waiting;
    expect(delivery.message.payload).toBe('unheard');
    await delivery.ack();
  }, 20_000);
});
