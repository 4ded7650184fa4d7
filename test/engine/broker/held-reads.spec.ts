import { jest } from '@jest/globals';
import { RedisHolds } from '../../../lib/broker/redis.holds.js';
import { eventually } from '../../support/eventually.js';
import { bodiesOf, refusal, useBroker } from './broker-fixture.js';
import { FAILURE, TARGET, useHolder } from './holder.js';

const fixture = useBroker('broker-held');
const holder = useHolder(fixture, { keepDead: { count: 3 } });

afterEach(() => jest.restoreAllMocks());

describe('a held read', () => {
  it('is reserved: others do not take it, and delete and rename refuse', async () => {
    await holder.queue.writeMany(['one', 'two']);
    const [one] = await holder.hold();
    expect((await fixture.queue('q').read())?.body).toBe('two');
    expect(await refusal(() => fixture.queue('q').deleteAll())).toMatchObject({ code: 'RESERVED' });
    expect(await refusal(() => fixture.broker.rename('q', 'r'))).toMatchObject({
      code: 'RESERVED',
    });
    await one.ack();
    expect(await fixture.queue('q').stats()).toMatchObject({ pending: 0, claimed: 2, reserved: 0 });
  });

  it('tells when the message was written', async () => {
    const id = await holder.queue.write('x');
    const [{ message }] = await holder.hold();
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
      await holder.queue.write('x');
      const [delivery] = await holder.hold();
      await fixture.lapse('q');
      await verb();
      await expect(delivery.ack()).rejects.toMatchObject({ code: 'LEASE_LOST' });
    }
  });

  it('that no holder survives is a dead letter after its attempts', async () => {
    const id = await holder.queue.write('kills');
    for (let attempt = 1; attempt <= TARGET.attempts; attempt++) {
      const [{ message }] = await holder.hold();
      expect(message.attempt).toBe(attempt);
      await fixture.lapse('q');
      await holder.upkeep();
    }
    const [letter] = await holder.engine.deadLetters('q').list();
    expect(letter).toMatchObject({ payload: 'kills', attempts: 2 });
    expect(letter.reason).toContain('the lease ended');
    expect(letter.id).toBe(id.toString());
    expect(await holder.queue.deadLetters.redrive(id)).toBe(true); // as `write` answered it
    expect(await holder.queue.deadLetters.drop(id)).toBe(false);
    expect(await holder.queue.stats()).toMatchObject({ pending: 1, dead: 0, exists: true });
  });

  it('keeps as many dead letters as it is told to', async () => {
    await holder.queue.writeMany(['1', '2', '3', '4', '5']);
    for (const delivery of await holder.hold(5))
      await delivery.nack({ error: FAILURE, retryInMs: null });
    const letters = await holder.engine.deadLetters('q').list();
    expect(letters.map(({ payload }) => payload).sort()).toEqual(['3', '4', '5']);
    expect(await holder.engine.deadLetters('q').drop(letters[0].id)).toBe(true);
    expect(await holder.engine.deadLetters('q').redrive(letters[0].id)).toBe(false);
  });

  it('counts its attempts on after a redrive', async () => {
    await holder.queue.write('x');
    const [first] = await holder.hold();
    await first.nack({ error: FAILURE, retryInMs: null });
    await holder.engine.deadLetters('q').redrive(first.message.id);
    const [again] = await holder.hold();
    expect(again.message.attempt).toBe(2);
    await again.ack();
    expect(await holder.broker.vacuum()).toBe(1);
    expect(await fixture.redis.exists(fixture.key('runs'))).toBe(0);
  });

  it('tells how its queue is doing', async () => {
    await holder.queue.writeMany(['1', '2', '3']);
    await holder.hold();
    const health = await holder.engine.health('q');
    expect(health).toMatchObject({ connected: true, waiting: 2, running: 1 });
    expect(health.oldestWaitingMs).toBeLessThan(60_000);
    expect(await holder.engine.health('empty')).toMatchObject({ waiting: 0, oldestWaitingMs: 0 });
  });

  it('wakes for a message although the note of it was lost', async () => {
    const looks = jest.spyOn(RedisHolds.prototype, 'settle');
    const waiting = holder.hold();
    await eventually(() => looks.mock.results.length > 0);
    expect(await looks.mock.results[0].value).toMatchObject({ rows: [] });
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

describe('without dead letters kept', () => {
  const keepsNone = useHolder(fixture, { keepDead: { count: 0 } });

  it('a queue whose last message fails is gone, and no broadcast reaches it', async () => {
    await keepsNone.queue.write('fails');
    const [delivery] = await keepsNone.hold();
    await delivery.nack({ error: FAILURE, retryInMs: null });
    expect(await fixture.queue('q').exists()).toBe(false);
    expect(await fixture.broker.broadcast('x')).toBe(0);
    expect(await fixture.keys()).toEqual([':meta']);
  });

  it('a queue whose last message kills its holders is gone too', async () => {
    await keepsNone.queue.write('kills');
    for (let attempt = 1; attempt <= TARGET.attempts; attempt++) {
      await keepsNone.hold();
      await fixture.lapse('q');
      await keepsNone.upkeep();
    }
    expect(await fixture.keys()).toEqual([':meta']);
  });
});
