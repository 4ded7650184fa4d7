import { eventually } from '../../support/eventually.js';
import { collect, idsOf, refusal, useBroker } from './broker-fixture.js';

const fixture = useBroker('broker-move');

describe('move', () => {
  it('keeps ids, and sorts them into the target', async () => {
    await fixture.insert('a', 10, 20, 30);
    await fixture.insert('b', 15);
    expect((await fixture.queue('a').move('b'))?.id).toBe(10n);
    expect(idsOf(await fixture.queue('a').moveMany('b', { limit: 1, order: 'newest' }))).toEqual([
      30n,
    ]);
    expect(idsOf(await fixture.queue('b').peekMany())).toEqual([10n, 15n, 30n]);
    expect(await fixture.queue('a').move('b', { id: 99n })).toBe(null);
  });

  it('takes claimed messages only when told to, and they stay claimed', async () => {
    await fixture.insert('a', 10, 20, 30);
    await fixture.queue('a').read({ id: 20n });
    expect(await fixture.queue('a').move('b', { id: 20n })).toBe(null);
    const moved = await fixture.queue('a').move('b', { id: 20n, requireUnclaimed: false });
    expect(moved).toMatchObject({ id: 20n, queue: 'b' });
    expect(await fixture.queue('b').stats()).toMatchObject({ pending: 0, claimed: 1 });
    await fixture.queue('a').read();
    const rest = await fixture.queue('a').moveMany('b', { limit: 9, requireUnclaimed: false });
    expect(idsOf(rest)).toEqual([10n, 30n]);
    expect(await fixture.queue('b').stats()).toMatchObject({ pending: 1, claimed: 2 });
    expect(await fixture.queue('a').exists()).toBe(false);
  });

  it('goes one by one as a generator', async () => {
    await fixture.insert('a', 1, 2, 3);
    expect(idsOf(await collect(fixture.queue('a').moveAll('b', { before: 3n })))).toEqual([1n, 2n]);
    expect(idsOf(await fixture.queue('a').peekMany())).toEqual([3n]);
  });

  it('to the queue itself is refused, behind an alias too', async () => {
    await fixture.insert('a', 1);
    await fixture.broker.aliases.add('same', 'a');
    const wrong = { code: 'INVALID_OPTION', option: 'target' };
    expect(await refusal(() => fixture.queue('a').move('a'))).toEqual(wrong);
    expect(await refusal(() => fixture.queue('a').move('@same'))).toEqual(wrong);
    expect(await refusal(() => fixture.queue('@same').moveAll('a').next())).toEqual(wrong);
    const batches = fixture.queue('@same').moveAll('a', { guarantee: 'at-least-once' });
    expect(await refusal(() => batches.next())).toEqual(wrong);
  });
});

describe('delete', () => {
  it('of ids counts those that the queue has, each once', async () => {
    await fixture.insert('a', 1, 2, 3);
    await fixture.insert('b', 4);
    await fixture.queue('a').read();
    expect(await fixture.queue('a').deleteMany([1n, 3n, 3n, 4n, 99n])).toBe(2);
    expect(await fixture.queue('a').delete('0000000000000000002')).toBe(true);
    expect(await fixture.queue('a').delete(2n)).toBe(false);
    expect(await fixture.queue('a').deleteMany([])).toBe(0);
    expect((await fixture.broker.listQueues()).map(({ queue }) => queue)).toEqual(['b']);
  });

  it('of a queue answers whether there was one', async () => {
    await fixture.insert('a', 1, 2);
    await fixture.queue('a').read();
    expect(await fixture.queue('a').deleteAll()).toBe(true);
    expect(await fixture.queue('a').deleteAll()).toBe(false);
    expect(await fixture.keys()).toEqual([':meta']);
  });

  it('of several queues keeps to its bound', async () => {
    await fixture.insert('a', 1, 5, 9);
    await fixture.insert('b', 2, 6);
    await fixture.insert('c', 3);
    await fixture.queue('a').read();
    expect(await fixture.broker.deleteQueues(['a', 'b', 'none', 'a'], { before: 6n })).toBe(3);
    expect((await fixture.broker.stats()).total).toBe(3);
    expect(await fixture.broker.deleteQueues([])).toBe(0);
    expect(await fixture.broker.deleteQueues(['a', 'b'])).toBe(2);
    expect((await fixture.broker.listQueues()).map(({ queue }) => queue)).toEqual(['c']);
  });

  it('of all queues stops at a reserved message, with those before it deleted', async () => {
    await fixture.insert('a', 1);
    await fixture.insert('b', 2);
    await fixture.insert('c', 3);
    const reading = fixture.queue('b').readAll({ guarantee: 'at-least-once' });
    await reading.next();
    expect(await refusal(() => fixture.broker.deleteAllQueues())).toMatchObject({
      code: 'RESERVED',
    });
    expect((await fixture.broker.listQueues()).map(({ queue }) => queue)).toEqual(['b', 'c']);
    await reading.return();
    expect(await fixture.broker.deleteAllQueues()).toBe(2);
  });

  it.each([7_999, 8_001, 50_000])('takes %p messages at once', async (count) => {
    const queue = fixture.queue('many');
    const ids = await queue.writeMany(Array.from({ length: count }, () => ''));
    expect(await queue.deleteMany(ids.slice(0, count / 2))).toBe(Math.floor(count / 2));
    expect(await queue.deleteAll()).toBe(true);
    expect(await fixture.keys()).toEqual([':meta']);
  });
});

describe('rename', () => {
  it('keeps messages and states, and retargets aliases', async () => {
    await fixture.insert('old', 1, 2, 3);
    await fixture.queue('old').read();
    await fixture.broker.aliases.add('in', 'old');
    const version = await fixture.broker.aliases.version();
    expect(await fixture.broker.rename('old', 'new')).toEqual({ messages: 3, aliases: 1 });
    expect(await fixture.broker.aliases.version()).toBe(version + 1);
    expect(await fixture.queue('@in').stats()).toMatchObject({
      queue: 'new',
      pending: 2,
      claimed: 1,
    });
    expect(await fixture.queue('old').exists()).toBe(false);
  });

  it('may leave the aliases where they are', async () => {
    await fixture.insert('old', 1);
    await fixture.broker.aliases.add('in', 'old');
    const kept = await fixture.broker.rename('old', 'new', { retargetAliases: false });
    expect(kept).toEqual({ messages: 1, aliases: 0 });
    expect(await fixture.broker.aliases.resolve('@in')).toBe('old');
  });

  it('refuses a target with messages, claimed ones too, and an alias that would lead to an alias', async () => {
    await fixture.insert('old', 1);
    await fixture.insert('new', 2);
    await fixture.queue('new').read();
    await fixture.broker.aliases.add('in', 'old');
    await fixture.broker.aliases.add('other', 'elsewhere');
    const before = await fixture.snapshot();
    expect(await refusal(() => fixture.broker.rename('old', 'new'))).toEqual({
      code: 'QUEUE_EXISTS',
    });
    expect(await refusal(() => fixture.broker.rename('old', 'other'))).toEqual({ code: 'ALIAS' });
    expect(await fixture.snapshot()).toEqual(before);
  });

  it('of nothing changes nothing', async () => {
    await fixture.broker.aliases.add('in', 'old');
    const before = await fixture.snapshot();
    expect(await fixture.broker.rename('old', 'new')).toEqual({ messages: 0, aliases: 0 });
    expect(await fixture.snapshot()).toEqual(before);
  });
});

describe('vacuum', () => {
  it('runs by itself after so many mutations, when a tenth is claimed', async () => {
    const broker = fixture.another({ vacuumEvery: 10 });
    await broker.queue('q').writeMany(Array.from({ length: 20 }, (_, n) => `${n}`));
    for (let n = 0; n < 19; n++) await broker.queue('q').read();
    await eventually(async () => (await fixture.queue('q').stats()).claimed < 19);
    expect((await fixture.queue('q').stats()).pending).toBe(1);
  });

  it('counts messages, not calls, and deletes all that are claimed when it runs by itself', async () => {
    const broker = fixture.another({ vacuumEvery: 5_000 });
    await fixture.queue('q').writeMany(Array.from({ length: 5_000 }, () => ''));
    await broker.queue('q').readMany({ limit: 5_000 });
    await eventually(async () => (await fixture.queue('q').stats()).claimed === 0);
    expect(await fixture.queue('q').exists()).toBe(false);
  });

  it('can be switched off', async () => {
    const broker = fixture.another({ vacuumEvery: 1, autoVacuum: false });
    await broker.queue('q').writeMany(['a', 'b']);
    await broker.queue('q').read();
    await broker.close();
    expect((await fixture.queue('q').stats()).claimed).toBe(1);
  });

  it('takes more than one script takes', async () => {
    const broker = fixture.another({ autoVacuum: false });
    await broker.queue('q').writeMany(Array.from({ length: 2_500 }, () => 'x'));
    await broker.queue('q').readMany({ limit: 2_500 });
    expect(await broker.vacuum()).toBe(2_500);
    expect(await fixture.keys()).toEqual([':meta']);
  });
});

describe('find', () => {
  it('looks for a text as it is, in order, within bounds and limit', async () => {
    const queue = fixture.queue('q');
    const ids = await queue.writeMany(['an apple', 'Apple', 'two apples', 'a.ple', 'pineapple']);
    expect(await queue.find('apple')).toEqual([ids[0], ids[2], ids[4]]);
    expect(await queue.find('apple', { after: ids[0], before: ids[4] })).toEqual([ids[2]]);
    expect(await queue.find('apple', { limit: 1 })).toEqual([ids[0]]);
    expect(await queue.find('a.pl')).toEqual([ids[3]]);
    await queue.read();
    expect(await queue.find('an apple')).toEqual([]);
    expect(await queue.find('an apple', { includeClaimed: true })).toEqual([ids[0]]);
  });

  it('goes through more than one window', async () => {
    const queue = fixture.queue('q');
    const ids = await queue.writeMany(Array.from({ length: 2_600 }, (_, n) => `<${n}>`));
    expect(await queue.find('<2599>')).toEqual([ids[2_599]]);
    expect(await queue.find('00>', { limit: 1_000 })).toHaveLength(25);
  });
});
