import { bodiesOf, idsOf, refusal, useBroker } from './broker-fixture.js';
import { FAILURE, TARGET, useHolder } from './holder.js';

const fixture = useBroker('broker-postponed');
const holder = useHolder(fixture);
const AN_HOUR = 3_600_000;

/** A message that its handler gave back for an hour. */
const postponed = async (body = 'later'): Promise<bigint> => {
  const id = await fixture.broker.write('q', body);
  await holder.postpone(AN_HOUR);
  return id;
};

describe('a message that its handler gave back with a delay', () => {
  it('is not taken before it is due, and then it is', async () => {
    const id = await postponed();
    const queue = fixture.queue('q');
    expect(await queue.read()).toBe(null);
    expect(await queue.move('r')).toBe(null);
    expect(await queue.hasPending()).toBe(false);
    expect(await queue.latestId()).toBe(null);
    const { nextInMs } = await holder.upkeep();
    expect(nextInMs).toBeGreaterThan(AN_HOUR - 60_000);
    await fixture.lapse('q');
    expect(await queue.read()).toMatchObject({ id, body: 'later' });
  });

  it('is nobody’s: it counts neither as reserved nor as running', async () => {
    await postponed();
    expect(await fixture.queue('q').stats()).toMatchObject({
      pending: 1,
      postponed: 1,
      reserved: 0,
      exists: true,
    });
    expect(await holder.engine.health('q')).toMatchObject({ waiting: 0, running: 0 });
    expect(await fixture.queue('q').peek()).toMatchObject({ state: 'postponed' });
    expect(await fixture.broker.listQueues()).toMatchObject([{ queue: 'q', postponed: 1 }]);
  });

  it('is found by its text, among the others and in their order', async () => {
    const ids = [await postponed('an apple'), await fixture.broker.write('q', 'two apples')];
    expect(await fixture.queue('q').find('apple')).toEqual(ids);
    expect(idsOf(await fixture.queue('q').peekMany())).toEqual(ids);
  });

  it.each<[string, (id: bigint) => Promise<unknown>, unknown]>([
    ['delete', (id) => fixture.queue('q').delete(id), true],
    ['deleteMany', (id) => fixture.queue('q').deleteMany([7n, id]), 1],
    ['deleteAll', () => fixture.queue('q').deleteAll(), true],
    ['deleteQueues', () => fixture.broker.deleteQueues(['q']), 1],
    ['deleteQueues below a bound', (id) => deleteBelow(id + 1n), 1],
  ])('goes by %s', async (_, verb, answer) => {
    expect(await verb(await postponed())).toEqual(answer);
    expect(await fixture.keys()).toEqual([':meta']);
  });

  const deleteBelow = (before: bigint) => fixture.broker.deleteQueues(['q'], { before });

  it('stays where it is by a deletion below it', async () => {
    const id = await postponed();
    expect(await deleteBelow(id)).toBe(0);
    expect(await fixture.queue('q').stats()).toMatchObject({ postponed: 1 });
  });

  it('goes by a clean-up', async () => {
    await postponed();
    expect(await fixture.broker.cleanUp()).toBe(true);
    expect(await fixture.keys()).toEqual([]);
  });

  it('takes its due time along when its queue is renamed', async () => {
    const id = await postponed();
    await fixture.broker.write('q', 'next');
    expect(await fixture.broker.rename('q', 'r')).toEqual({ messages: 2, aliases: 0 });
    expect(await fixture.queue('r').stats()).toMatchObject({ pending: 2, postponed: 1 });
    expect(await fixture.queue('q').exists()).toBe(false);
    await fixture.lapse('r');
    expect(await fixture.queue('r').read()).toMatchObject({ id });
  });

  it('is displaced by keepNewest at its place, and is claimed then', async () => {
    const ids = [await fixture.broker.write('q', '0'), 0n, 0n];
    await fixture.queue('q').read();
    ids[1] = await postponed('1');
    ids[2] = await fixture.broker.write('q', '2');
    await fixture.queue('q').write('3', { keepNewest: 3 });
    expect(await fixture.queue('q').stats()).toMatchObject({ pending: 3, postponed: 1 });
    await fixture.queue('q').write('4', { keepNewest: 3 });
    expect(await fixture.queue('q').stats()).toMatchObject({ pending: 3, postponed: 0 });
    expect(bodiesOf(await fixture.queue('q').peekMany())).toEqual(['2', '3', '4']);
    const claimed = await fixture.queue('q').peekMany({ includeClaimed: true, limit: 2 });
    expect(claimed.map(({ id, state }) => [id, state])).toEqual([
      [ids[0], 'claimed'],
      [ids[1], 'claimed'],
    ]);
  });

  it('that has no body makes keepNewest refuse only when it would be displaced', async () => {
    const id = await postponed();
    await fixture.redis.hdel(fixture.key('bodies'), id.toString());
    await fixture.queue('q').write('x', { keepNewest: 2 });
    const before = await fixture.snapshot();
    const write = () => fixture.queue('q').write('y', { keepNewest: 2 });
    expect(await refusal(write)).toEqual({ code: 'INTEGRITY' });
    expect(await fixture.snapshot()).toEqual(before);
    fixture.isDamaged = true;
  });

  it('is displaced among ten thousands, wherever they stand', async () => {
    const queue = fixture.another({ autoVacuum: false }).queue('q');
    for (let round = 0; round < 3; round++) {
      await queue.writeMany(Array.from({ length: 3_000 }, () => 'x'));
      for (const delivery of await holder.hold(4)) {
        await delivery.nack({ error: FAILURE, retryInMs: AN_HOUR });
      }
    }
    const before = await queue.peekMany({ limit: 10_000 });
    await queue.write('y', { keepNewest: 4 });
    const left = await queue.peekMany({ limit: 10_000 });
    expect(idsOf(left.slice(0, 3))).toEqual(idsOf(before.slice(-3)));
    expect(left).toHaveLength(4);
    expect(await queue.stats()).toMatchObject({ postponed: 0, claimed: 8_997 });
  });

  it('counts its attempts on, and a release does not count', async () => {
    await postponed();
    await fixture.lapse('q');
    const [again] = await holder.hold();
    expect(again.message.attempt).toBe(2);
    await again.release({ delayMs: AN_HOUR });
    expect(await fixture.queue('q').stats()).toMatchObject({ postponed: 1 });
    await fixture.lapse('q');
    const [last] = await holder.hold();
    expect(last.message.attempt).toBe(TARGET.attempts);
    await last.ack();
  });

  it('is the late holder’s no more: its settle again succeeds, another one is refused', async () => {
    await fixture.broker.write('q', 'x');
    const delivery = await holder.postpone(AN_HOUR);
    await delivery.nack({ error: FAILURE, retryInMs: AN_HOUR });
    await expect(delivery.ack()).rejects.toMatchObject({ code: 'LEASE_LOST' });
    await expect(delivery.extend()).rejects.toMatchObject({ code: 'LEASE_LOST' });
    expect(await fixture.queue('q').stats()).toMatchObject({ postponed: 1 });
  });
});
