import type { Delivery } from '../../../lib/contract/index.js';
import { bodiesOf, refusal, useBroker } from './broker-fixture.js';
import { FAILURE, useHolder } from './holder.js';

const fixture = useBroker('broker-namespaces');
const holder = useHolder(fixture);

describe('a namespace', () => {
  it('is made by the first call, and tells what it is', async () => {
    expect(await fixture.keys()).toEqual([]);
    expect(await fixture.broker.meta()).toMatchObject({
      magic: 'nest-redis-queue:broker',
      schemaVersion: 1,
      lastId: 0n,
      aliasVersion: 0,
    });
    expect(await fixture.keys()).toEqual([':meta']);
  });

  it('shares nothing with another', async () => {
    const other = fixture.another({ namespace: `${fixture.namespace}-b` });
    await fixture.broker.write('q', 'x');
    await other.write('q', 'y');
    await fixture.broker.aliases.add('a', 'q');
    expect(await refusal(() => other.aliases.resolve('@a'))).toEqual({ code: 'ALIAS' });
    expect(bodiesOf(await other.queue('q').peekMany())).toEqual(['y']);
    expect(await other.cleanUp()).toBe(true);
    expect(await fixture.queue('q').exists()).toBe(true);
  });

  it.each<[string, (base: string) => Promise<unknown>]>([
    ['whose meta is no hash', (base) => fixture.redis.set(`${base}:meta`, 'x')],
    [
      'with another magic',
      (base) => fixture.redis.hset(`${base}:meta`, { magic: 'x', schema: '1' }),
    ],
    ['without a meta', (base) => fixture.redis.sadd(`${base}:queues`, 'q')],
    ['of another schema', (base) => damaged(base, { schema: '2' })],
    ['without a last id', (base) => damaged(base, { last: '' })],
    ['with a last id that is none', (base) => damaged(base, { last: '123' })],
    ['without an alias version', (base) => damaged(base, { aliases: '' })],
  ])('%s is refused by every call, and left as it is', async (_, prepare) => {
    await prepare(fixture.base);
    fixture.isDamaged = true;
    const before = await fixture.snapshot();
    const broker = fixture.another();
    for (const call of [
      () => broker.meta(),
      () => broker.write('q', 'x'),
      () => broker.queue('q').read(),
      () => broker.listQueues(),
      () => broker.ids.last(),
      () => broker.queue('q').waiter(),
    ]) {
      expect(await refusal(call)).toEqual({ code: 'NAMESPACE' });
    }
    expect(await fixture.snapshot()).toEqual(before);
  });

  describe.each<[string, () => Promise<unknown>]>([
    ['is of another schema', () => fixture.redis.hset(fixture.key('meta'), 'schema', '2')],
    ['has lost its meta', () => fixture.redis.del(fixture.key('meta'))],
  ])('that later %s', (_, damage) => {
    const batch = { guarantee: 'at-least-once', batchSize: 1 } as const;
    const letters = () => holder.engine.deadLetters('q');
    let dead: Delivery;
    let held: Delivery;
    let reading: AsyncGenerator;
    let moving: AsyncGenerator;

    beforeEach(async () => {
      await fixture.insert('q', 1, 2, 3, 4, 5);
      [dead, held] = await holder.hold(2);
      await dead.nack({ error: FAILURE, retryInMs: null });
      await holder.queue.read();
      [reading, moving] = [
        fixture.queue('q').readAll(batch),
        fixture.queue('q').moveAll('r', batch),
      ];
      for (const one of [reading, moving]) await one.next();
      await damage();
      fixture.isDamaged = true;
    });

    // one a namespace: a broker that was refused once asks no more
    it.each<[string, () => Promise<unknown>]>([
      ['a write', () => fixture.broker.write('q', 'x')],
      ['a read', () => fixture.queue('q').read()],
      ['a clean-up', () => fixture.broker.cleanUp()],
      ['a vacuum', () => fixture.broker.vacuum()],
      ['a redrive', () => letters().redrive(dead.message.id)],
      ['the end of a dead letter', () => letters().drop(dead.message.id)],
      ['an extension', () => held.extend()],
      ['an ack', () => held.ack()],
      ['a commit', () => reading.next()],
      ['a roll-back', () => moving.return(undefined)],
    ])('refuses %s, and is left as it is', async (_verb, call) => {
      const before = await fixture.snapshot();
      expect(await refusal(call)).toMatchObject({ code: 'NAMESPACE' });
      expect(await fixture.snapshot()).toEqual(before);
    });
  });

  it('that was deleted meanwhile is made anew', async () => {
    const id = await fixture.broker.write('q', 'x');
    await fixture.redis.del(await fullKeys());
    expect(await fixture.broker.write('q', 'y')).toBeGreaterThan(id);
    expect(bodiesOf(await fixture.queue('q').peekMany())).toEqual(['y']);
  });

  const damaged = async (base: string, fields: Record<string, string>): Promise<void> => {
    await fixture.another().meta();
    for (const [field, value] of Object.entries(fields)) {
      if (value === '') await fixture.redis.hdel(`${base}:meta`, field);
      else await fixture.redis.hset(`${base}:meta`, field, value);
    }
  };
  const fullKeys = async (): Promise<string[]> =>
    (await fixture.keys()).map((key) => fixture.base + key);
});

describe('clean-up', () => {
  it('removes what is ours and nothing beside it', async () => {
    await fixture.insert('q', 1, 2, 3);
    await fixture.insert('r', 4);
    await fixture.queue('q').read();
    await fixture.broker.aliases.add('a', 'q');
    const beside = `${fixture.base}:something:else`;
    await fixture.redis.set(beside, 'x');
    await fixture.redis.set(`${fixture.base.slice(0, -1)}x}:meta`, 'x');
    expect(await fixture.broker.cleanUp()).toBe(true);
    expect(await fixture.broker.cleanUp()).toBe(false);
    expect(await fixture.keys()).toEqual([':something:else']);
    expect(await fixture.redis.del(beside, `${fixture.base.slice(0, -1)}x}:meta`)).toBe(2);
  });

  it('takes thousands of queues, and the broker goes on after it', async () => {
    const queues = Array.from({ length: 2_100 }, (_, n) => `q${n}`);
    await fixture.broker.broadcast('x', { queues, createMissing: true });
    expect(await fixture.broker.cleanUp()).toBe(true);
    expect(await fixture.keys()).toEqual([]);
    await fixture.broker.write('q', 'x');
    expect(await fixture.broker.stats()).toMatchObject({ queues: 1, pending: 1 });
  });
});
