import { bodiesOf, refusal, useBroker } from './broker-fixture.js';

const fixture = useBroker('broker-keep');

describe('keepNewest', () => {
  it('claims what it displaces, the new message counted', async () => {
    const queue = fixture.queue('q');
    await queue.writeMany(['1', '2', '3']);
    const id = await queue.write('4', { keepNewest: 2 });
    expect(await queue.latestId()).toBe(id);
    expect(bodiesOf(await queue.peekMany())).toEqual(['3', '4']);
    expect(await queue.stats()).toMatchObject({ pending: 2, claimed: 2 });
    await queue.write('5', { keepNewest: 1 });
    expect(await queue.stats()).toMatchObject({ pending: 1, claimed: 4 });
    await queue.write('6');
    expect(await queue.stats()).toMatchObject({ pending: 2, claimed: 4 });
  });

  it('beyond what there is displaces nothing', async () => {
    const queue = fixture.queue('q');
    await queue.write('1', { keepNewest: 9_999 });
    await queue.write('2', { keepNewest: 2 });
    expect(await queue.stats()).toMatchObject({ pending: 2, claimed: 0 });
  });

  it('keeps the order of writes in flight', async () => {
    const queue = fixture.queue('q');
    await Promise.all(Array.from({ length: 50 }, (_, n) => queue.write(`${n}`, { keepNewest: 3 })));
    expect(bodiesOf(await queue.peekMany())).toEqual(['47', '48', '49']);
  });

  it('refuses to displace a reserved message, and only that', async () => {
    const queue = fixture.queue('q');
    await queue.writeMany(['1', '2', '3', '4']);
    const other = fixture.queue('q');
    await other.move('aside');
    const reading = other.readAll({ guarantee: 'at-least-once', batchSize: 1 }); // reserves '2'
    await reading.next();
    const before = await fixture.snapshot();
    const refused = { code: 'RESERVED', retryable: true };
    expect(await refusal(() => queue.write('5', { keepNewest: 3 }))).toEqual(refused);
    expect(await refusal(() => queue.write('5', { keepNewest: 1 }))).toEqual(refused);
    expect(await fixture.snapshot()).toEqual(before);
    await queue.write('5', { keepNewest: 4 });
    expect(await queue.stats()).toMatchObject({ pending: 4, reserved: 1, claimed: 0 });
    await reading.return();
    await queue.write('6', { keepNewest: 1 });
    expect(bodiesOf(await queue.peekMany())).toEqual(['6']);
  });

  it('finds a displaced row without a body before it changes anything', async () => {
    const queue = fixture.queue('q');
    const [id] = await queue.writeMany(['1', '2', '3']);
    await fixture.redis.hdel(fixture.key('bodies'), id.toString());
    const before = await fixture.snapshot();
    expect(await refusal(() => queue.write('4', { keepNewest: 1 }))).toEqual({ code: 'INTEGRITY' });
    expect(await fixture.snapshot()).toEqual(before);
    fixture.isDamaged = true;
  });

  it.each(['pending', 'claimed', 'reserved'])('refuses a %s key of another type', async (part) => {
    const queue = fixture.queue('other');
    await fixture.broker.meta();
    await fixture.redis.set(fixture.key('q', 'other', part), 'x');
    const before = await fixture.snapshot();
    expect(await refusal(() => queue.write('1', { keepNewest: 1 }))).toEqual({ code: 'INTEGRITY' });
    expect(await fixture.snapshot()).toEqual(before);
    await fixture.redis.del(fixture.key('q', 'other', part));
  });

  it('displaces tens of thousands in one step, beside claimed ones too', async () => {
    const queue = fixture.another({ autoVacuum: false }).queue('q');
    await queue.writeMany(Array.from({ length: 20_000 }, () => 'x'));
    await queue.write('y', { keepNewest: 1 });
    expect(await queue.stats()).toMatchObject({ pending: 1, claimed: 20_000 });
    await queue.writeMany(Array.from({ length: 12_000 }, () => 'x'));
    await queue.write('z', { keepNewest: 10 });
    expect(await queue.stats()).toMatchObject({ pending: 10, claimed: 31_992 });
    expect((await queue.peek({ order: 'newest' }))?.body).toBe('z');
  });
});
