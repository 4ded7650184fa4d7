import { InvalidBatchError } from '../../../lib/errors/index.js';
import { bodiesOf, collect, idsOf, refusal, useBroker } from './broker-fixture.js';

const fixture = useBroker('broker-batches');
const atLeastOnce = { guarantee: 'at-least-once' } as const;

describe('an at-least-once batch', () => {
  it('that is closed early is released whole and in place', async () => {
    await fixture.insert('q', 1, 2, 3);
    for await (const { id } of fixture.queue('q').readAll({ ...atLeastOnce, batchSize: 2 })) {
      expect(id).toBe(1n);
      break;
    }
    expect(await fixture.queue('q').stats()).toMatchObject({ pending: 3, reserved: 0, claimed: 0 });
    expect(idsOf(await fixture.queue('q').readMany({ limit: 9 }))).toEqual([1n, 2n, 3n]);
  });

  it('commits when more is asked for after its last message', async () => {
    await fixture.insert('q', 1, 2, 3);
    const reading = fixture.queue('q').readAll({ ...atLeastOnce, batchSize: 2 });
    await reading.next();
    await reading.next();
    expect(await fixture.queue('q').stats()).toMatchObject({ reserved: 2, claimed: 0 });
    expect((await reading.next()).value).toMatchObject({ id: 3n });
    expect(await fixture.queue('q').stats()).toMatchObject({ reserved: 1, claimed: 2 });
    expect(await reading.next()).toMatchObject({ done: true });
    expect(await fixture.queue('q').stats()).toMatchObject({ pending: 0, claimed: 3 });
    expect(await fixture.keys()).not.toContain(':batches');
  });

  it('whose consumer throws is released', async () => {
    await fixture.insert('q', 1, 2);
    const consume = async () => {
      for await (const { id } of fixture.queue('q').readAll(atLeastOnce)) {
        throw new Error(`no ${id}`);
      }
    };
    await expect(consume()).rejects.toThrow('no 1');
    expect(await fixture.queue('q').stats()).toMatchObject({ pending: 2, reserved: 0 });
  });

  it('moves whole batches, and keeps to its bounds', async () => {
    await fixture.insert('q', 1, 2, 3, 4, 5);
    const bounds = { after: 1n, before: 5n };
    const moving = fixture.queue('q').moveAll('r', { ...atLeastOnce, ...bounds, batchSize: 2 });
    expect(idsOf(await collect(moving))).toEqual([2n, 3n, 4n]);
    expect(idsOf(await fixture.queue('r').peekMany())).toEqual([2n, 3n, 4n]);
    expect(idsOf(await fixture.queue('q').peekMany())).toEqual([1n, 5n]);
  });

  it('that empties its source by a move leaves no queue behind', async () => {
    await fixture.insert('q', 1);
    await collect(fixture.queue('q').moveAll('r', atLeastOnce));
    expect(await fixture.queue('q').exists()).toBe(false);
  });

  it('shuts out mutations through its own handle, and no others', async () => {
    await fixture.insert('q', 1, 2, 3);
    const queue = fixture.queue('q');
    const reading = queue.readAll({ ...atLeastOnce, batchSize: 1 });
    await reading.next();
    for (const call of [
      () => queue.write('x'),
      () => queue.writeMany(['x']),
      () => queue.read(),
      () => queue.readMany({ limit: 1 }),
      () => queue.move('r'),
      () => queue.delete(1n),
      () => queue.deleteMany([2n]),
      () => queue.deleteAll(),
      () => queue.readAll(atLeastOnce).next(),
      () => queue.moveAll('r').next(),
      () => queue.deadLetters.redrive(3n),
      () => queue.deadLetters.drop(3n),
    ]) {
      expect(await refusal(call)).toEqual({ code: 'BATCH_OPEN' });
    }
    expect(await queue.stats()).toMatchObject({ pending: 3, reserved: 1 });
    expect(await queue.peekMany()).toHaveLength(3);
    expect((await fixture.queue('q').read())?.id).toBe(2n);
    await reading.return();
    expect((await queue.read())?.id).toBe(1n);
  });
});

describe('an open batch of a broker that closes', () => {
  it('is given back whole, also one whose generator nobody ends', async () => {
    await fixture.insert('q', 1, 2, 3);
    await fixture.insert('r', 4);
    const broker = fixture.another();
    const reading = broker.queue('q').readAll({ ...atLeastOnce, batchSize: 2 });
    const moving = broker.queue('r').moveAll('q', atLeastOnce);
    await reading.next();
    await moving.next();
    await broker.close();
    expect(await fixture.queue('q').stats()).toMatchObject({ pending: 3, reserved: 0 });
    expect(await fixture.queue('r').stats()).toMatchObject({ pending: 1, reserved: 0 });
    expect(await fixture.keys()).not.toContain(':batches');
    expect(await reading.return()).toEqual({ done: true, value: undefined });
    expect(await refusal(() => moving.next())).toEqual({ code: 'CLOSED' });
  });

  it('hands out nothing more, and commits nothing', async () => {
    await fixture.insert('q', 1, 2);
    const broker = fixture.another();
    const [one, two] = ['q', 'q'].map((name) =>
      broker.queue(name).readAll({ ...atLeastOnce, batchSize: 1 }),
    );
    await one.next();
    await two.next();
    await broker.close();
    expect(await refusal(() => one.next())).toEqual({ code: 'CLOSED' });
    expect(await fixture.queue('q').stats()).toMatchObject({ pending: 2, reserved: 0, claimed: 0 });
  });

  it('is given back too when it was just about to begin', async () => {
    await fixture.insert('q', 1);
    const broker = fixture.another();
    await broker.meta();
    const beginning = refusal(() => broker.queue('q').readAll(atLeastOnce).next());
    await broker.close();
    expect(await beginning).toEqual({ code: 'CLOSED' });
    expect(await fixture.queue('q').stats()).toMatchObject({ pending: 1, reserved: 0 });
  });

  it('which is committed just then is left alone', async () => {
    await fixture.insert('q', 1);
    const broker = fixture.another();
    const reading = broker.queue('q').readAll(atLeastOnce);
    await reading.next();
    const committing = reading.next().catch(() => undefined);
    await broker.close();
    await committing;
    expect(await fixture.queue('q').stats()).toMatchObject({ reserved: 0, claimed: 1 });
  });
});

describe('reserved messages', () => {
  const reserve = async (count: number) => {
    const reading = fixture.queue('q').readAll({ ...atLeastOnce, batchSize: count });
    await reading.next();
    return reading;
  };

  it('are skipped by everything that takes, and shown by peek', async () => {
    await fixture.insert('q', 100, 200, 300);
    const reading = await reserve(2);
    const queue = fixture.queue('q');
    expect((await queue.peekMany()).map(({ state }) => state)).toEqual([
      'reserved',
      'reserved',
      'pending',
    ]);
    expect(await queue.find('m100')).toEqual([]);
    expect(await queue.read({ id: 100n })).toBe(null);
    expect(await queue.move('r', { id: 100n })).toBe(null);
    expect(await queue.hasPending()).toBe(true);
    expect((await queue.read())?.id).toBe(300n);
    expect(await queue.hasPending()).toBe(false);
    expect(await queue.latestId()).toBe(null);
    await reading.return();
    expect(await queue.latestId()).toBe(200n);
    expect(await queue.hasPending({ after: 200n })).toBe(false);
  });

  it('make delete, rename and clean-up refuse, with nothing changed', async () => {
    await fixture.insert('q', 1, 2, 3);
    await fixture.insert('r', 4);
    const reading = await reserve(1);
    const before = await fixture.snapshot();
    for (const call of [
      () => fixture.queue('q').delete(1n),
      () => fixture.queue('q').deleteMany([2n, 1n]),
      () => fixture.queue('q').deleteAll(),
      () => fixture.broker.deleteQueues(['r', 'q']),
      () => fixture.broker.deleteQueues(['r', 'q'], { before: 2n }),
      () => fixture.broker.rename('q', 'elsewhere'),
      () => fixture.broker.cleanUp(),
    ]) {
      expect(await refusal(call)).toEqual({ code: 'RESERVED', retryable: true });
    }
    expect(await fixture.snapshot()).toEqual(before);
    expect(await fixture.broker.deleteQueues(['q'], { before: 1n })).toBe(0);
    await reading.return();
  });
});

describe('recovery of abandoned batches', () => {
  const abandon = async (): Promise<AsyncGenerator> => {
    const reading = fixture.another().queue('q').readAll(atLeastOnce);
    await reading.next();
    return reading;
  };

  it('gives back what is old enough, exactly so many', async () => {
    await fixture.insert('q', 1, 2, 3);
    await abandon();
    expect(await fixture.broker.recoverStale({ olderThanMs: 60_000 })).toBe(0);
    await fixture.age(60_000);
    expect(await fixture.broker.recoverStale({ olderThanMs: 60_000 })).toBe(3);
    expect(await fixture.broker.recoverStale({ olderThanMs: 0 })).toBe(0);
    expect(idsOf(await fixture.queue('q').readMany({ limit: 9 }))).toEqual([1n, 2n, 3n]);
  });

  it('fails the commit of the late owner, and leaves the next batch of the messages alone', async () => {
    await fixture.insert('q', 1);
    const late = await abandon();
    await fixture.age(300_000);
    await fixture.broker.recoverStale();
    const next = fixture.queue('q').readAll(atLeastOnce);
    expect((await next.next()).value).toMatchObject({ id: 1n });
    await expect(late.next()).rejects.toBeInstanceOf(InvalidBatchError);
    expect(await fixture.queue('q').stats()).toMatchObject({ reserved: 1 });
    expect(await next.next()).toMatchObject({ done: true });
    expect(await fixture.queue('q').stats()).toMatchObject({ claimed: 1 });
  });

  it('leaves the rollback of the late owner without effect', async () => {
    await fixture.insert('q', 1);
    const late = await abandon();
    await fixture.age(300_000);
    await fixture.broker.recoverStale();
    const next = fixture.queue('q').readAll(atLeastOnce);
    await next.next();
    await late.return(undefined);
    expect(await fixture.queue('q').stats()).toMatchObject({ reserved: 1 });
    await next.return();
  });

  it.each<[string, () => Promise<unknown>]>([
    ['a delete', () => fixture.queue('q').delete(3n)],
    ['a rename', () => fixture.broker.rename('q', 'r').then(() => fixture.broker.rename('r', 'q'))],
    ['a find', () => fixture.queue('q').find('m1x')],
    ['the first read of a second', () => fixture.another().queue('q').read({ id: 999n })],
    ['the first move of a second', () => fixture.another().queue('q').move('r', { id: 999n })],
  ])('runs before %s', async (_, verb) => {
    await fixture.insert('q', 1, 2, 3);
    await abandon();
    await fixture.age(300_000);
    await verb();
    expect(await fixture.queue('q').stats()).toMatchObject({ reserved: 0 });
  });

  it('runs before a batch, which gets the messages', async () => {
    await fixture.insert('q', 1, 2, 3);
    await abandon();
    await fixture.age(300_000);
    const reading = fixture.queue('q').readAll(atLeastOnce);
    expect((await reading.next()).value).toMatchObject({ id: 1n });
    expect(await fixture.queue('q').stats()).toMatchObject({ reserved: 3 });
    await reading.return();
  });

  it('takes more batches than one call looks at, behind as many that nobody can recover', async () => {
    const damaged = Array.from({ length: 150 }, (_, n) => [n, `damaged-${n}`]).flat();
    await fixture.insert('q', ...Array.from({ length: 250 }, (_, n) => n + 1));
    for (let n = 0; n < 250; n++) {
      await fixture
        .queue('q')
        .readAll({ ...atLeastOnce, batchSize: 1 })
        .next();
    }
    await fixture.redis.zadd(fixture.key('batches'), ...damaged);
    expect(await fixture.queue('q').stats()).toMatchObject({ reserved: 250 });
    expect(await fixture.broker.recoverStale({ olderThanMs: 0 })).toBe(250);
    expect(await fixture.queue('q').stats()).toMatchObject({ pending: 250, reserved: 0 });
    fixture.isDamaged = true;
  });

  it('can be switched off', async () => {
    await fixture.insert('q', 1);
    await abandon();
    await fixture.age(300_000);
    const broker = fixture.another({ staleBatchMs: -1 });
    await broker.queue('q').find('abc');
    expect(await refusal(() => broker.queue('q').delete(1n))).toMatchObject({ code: 'RESERVED' });
    expect(await broker.recoverStale()).toBe(0);
    expect(await fixture.queue('q').stats()).toMatchObject({ reserved: 1 });
    expect(await broker.recoverStale({ olderThanMs: 300_000 })).toBe(1);
  });

  it('looks at nothing but batches that are whole', async () => {
    await fixture.insert('q', 1);
    await fixture.redis.zadd(fixture.key('batches'), 1, 'no-meta', 1, 'odd');
    await fixture.redis.hset(fixture.key('batch', 'odd', 'meta'), 'source', 'q', 'created', '1e3');
    expect(await fixture.broker.recoverStale({ olderThanMs: 0 })).toBe(0);
    expect(bodiesOf(await fixture.queue('q').peekMany())).toEqual(['m1']);
    fixture.isDamaged = true;
  });
});
