import { RecordingLogger } from '../../contract/logs.js';
import { bodiesOf, refusal, useBroker } from './broker-fixture.js';

const fixture = useBroker('broker-broadcast');
const names = async (): Promise<string[]> =>
  (await fixture.broker.listQueues()).map(({ queue }) => queue);

describe('broadcast', () => {
  it('without a pattern reaches every queue there is, those with claimed messages only too', async () => {
    await fixture.insert('a', 1);
    await fixture.insert('b', 2);
    await fixture.queue('b').read();
    expect(await fixture.broker.broadcast('all')).toBe(2);
    expect(bodiesOf(await fixture.queue('a').peekMany())).toEqual(['m1', 'all']);
    expect(bodiesOf(await fixture.queue('b').peekMany())).toEqual(['all']);
  });

  it('to a pattern goes by case, and dots are ordinary', async () => {
    await fixture.insert('jobs-1', 1);
    await fixture.insert('jobs-2', 2);
    await fixture.insert('Jobs-3', 3);
    await fixture.insert('jobs.4', 4);
    expect(await fixture.broker.broadcast('x', { pattern: 'jobs-*' })).toBe(2);
    expect(await fixture.broker.broadcast('x', { pattern: '[jJ]obs?[!1]' })).toBe(3);
    expect(await fixture.broker.broadcast('x', { pattern: 'none*' })).toBe(0);
    expect(await fixture.broker.broadcast('x', { pattern: '*' })).toBe(4);
  });

  it('to a list reaches those that exist, each once, and revives none', async () => {
    await fixture.insert('a', 1);
    const lastId = await fixture.broker.ids.refresh();
    const before = await fixture.snapshot();
    expect(await fixture.broker.broadcast('x', { queues: ['missing', 'gone'] })).toBe(0);
    expect(await fixture.broker.broadcast('x', { queues: [] })).toBe(0);
    expect(await fixture.broker.broadcast('x', { queues: [], createMissing: true })).toBe(0);
    expect(await fixture.snapshot()).toEqual(before);
    expect(await fixture.broker.ids.refresh()).toBe(lastId);
    expect(await fixture.broker.broadcast('x', { queues: ['a', 'a', 'missing'] })).toBe(1);
    expect(await names()).toEqual(['a']);
  });

  it('makes the missing ones where it is told to', async () => {
    await fixture.insert('a', 1);
    const options = { queues: ['a', 'b', 'c', 'b'], createMissing: true };
    expect(await fixture.broker.broadcast('x', options)).toBe(3);
    expect(await names()).toEqual(['a', 'b', 'c']);
  });

  it('is whole or not at all', async () => {
    await fixture.insert('a', 1);
    await fixture.redis.set(fixture.key('q', 'b', 'pending'), 'of another type');
    const before = await fixture.snapshot();
    const broken = () => fixture.broker.broadcast('x', { queues: ['a', 'b'], createMissing: true });
    expect(await refusal(broken)).toEqual({ code: 'INTEGRITY' });
    const named = () => fixture.broker.broadcast('x', { queues: ['a', '-b'], createMissing: true });
    expect(await refusal(named)).toEqual({ code: 'INVALID_QUEUE_NAME' });
    expect(await fixture.snapshot()).toEqual(before);
    await fixture.redis.del(fixture.key('q', 'b', 'pending'));
  });

  it('reaches a thousand queues', async () => {
    const queues = Array.from({ length: 1_000 }, (_, n) => `q${n}`);
    expect(await fixture.broker.broadcast('x', { queues, createMissing: true })).toBe(1_000);
    expect(await fixture.broker.broadcast('y')).toBe(1_000);
    expect(await fixture.broker.stats()).toMatchObject({ queues: 1_000, pending: 2_000 });
  });

  it('never looks behind aliases', async () => {
    await fixture.insert('a', 1);
    await fixture.broker.aliases.add('in', 'a');
    const aliased = () => fixture.broker.broadcast('x', { queues: ['@in'] });
    expect(await refusal(aliased)).toEqual({ code: 'INVALID_QUEUE_NAME' });
    expect(await fixture.broker.broadcast('x', { queues: ['in'] })).toBe(0);
  });
});

describe('aliases', () => {
  it('stand behind an @, plain names are literal', async () => {
    await fixture.broker.aliases.add('x', 'y');
    expect(await fixture.broker.aliases.resolve('@x')).toBe('y');
    expect(await fixture.broker.aliases.resolve('x')).toBe('x');
    expect(await refusal(() => fixture.broker.aliases.resolve('@none'))).toEqual({ code: 'ALIAS' });
    await fixture.queue('@x').write('to y');
    await fixture.queue('x').write('to x');
    expect((await fixture.queue('@x').read())?.queue).toBe('y');
    expect((await fixture.queue('x').read())?.body).toBe('to x');
  });

  it('are flat in either order', async () => {
    const { aliases } = fixture.broker;
    await aliases.add('x', 'y');
    for (const [alias, target] of [
      ['x', 'z'],
      ['z', 'x'],
      ['y', 'w'],
    ]) {
      expect(await refusal(() => aliases.add(alias, target))).toEqual({ code: 'ALIAS' });
    }
    expect(await refusal(() => aliases.add('a', 'a'))).toMatchObject({ code: 'INVALID_OPTION' });
    await aliases.add('w', 'y');
    expect(await aliases.list()).toEqual([
      { alias: 'w', target: 'y' },
      { alias: 'x', target: 'y' },
    ]);
    expect(await aliases.list({ target: 'nothing' })).toEqual([]);
  });

  it('raise their version with every change, and lose nothing when removed', async () => {
    const { aliases } = fixture.broker;
    const first = await aliases.version();
    await aliases.add('x', 'y');
    await fixture.queue('@x').write('kept');
    expect(await aliases.remove('x')).toBe(true);
    expect(await aliases.remove('x')).toBe(false);
    expect(await aliases.version()).toBeGreaterThan(first);
    expect((await fixture.queue('y').read())?.body).toBe('kept');
  });

  it('work on every verb, and an unknown one changes nothing', async () => {
    await fixture.insert('y', 1, 2, 3, 4);
    await fixture.broker.aliases.add('x', 'y');
    const queue = fixture.queue('@x');
    expect(await queue.stats()).toMatchObject({ queue: 'y', pending: 4 });
    expect(await queue.delete(1n)).toBe(true);
    expect((await queue.move('z'))?.id).toBe(2n);
    expect((await fixture.queue('z').move('@x'))?.queue).toBe('y');
    expect((await queue.peek())?.id).toBe(2n);
    const reading = queue.readAll({ guarantee: 'at-least-once' });
    expect((await reading.next()).value).toMatchObject({ queue: 'y' });
    await reading.return();
    await queue.write('new', { keepNewest: 1 });
    expect(await queue.find('new')).toHaveLength(1);
    expect(await queue.deleteAll()).toBe(true);

    const before = await fixture.snapshot();
    const unknown = fixture.queue('@none');
    for (const call of [
      () => unknown.write('x'),
      () => unknown.write('x', { keepNewest: 1 }),
      () => unknown.read(),
      () => unknown.peek(),
      () => unknown.move('z'),
      () => fixture.queue('y').move('@none'),
      () => unknown.delete(1n),
      () => unknown.deleteAll(),
      () => unknown.stats(),
      () => unknown.find('abc'),
      () => unknown.waiter(),
      () => unknown.readAll({ guarantee: 'at-least-once' }).next(),
      () => fixture.broker.insert([{ queue: '@none', id: 9n, body: '' }]),
    ]) {
      expect(await refusal(call)).toEqual({ code: 'ALIAS' });
    }
    expect(await fixture.snapshot()).toEqual(before);
  });

  it('one of them unknown does not fail the writes beside it', async () => {
    const [wrong, right] = await Promise.allSettled([
      fixture.queue('@none').write('x'),
      fixture.queue('q').write('y'),
    ]);
    expect([wrong.status, right.status]).toEqual(['rejected', 'fulfilled']);
  });

  it('with the name of a queue are allowed, and warned of', async () => {
    const logger = new RecordingLogger();
    await fixture.insert('x', 1);
    await fixture.another({ logger }).aliases.add('x', 'y');
    expect(logger.of('warn')).toEqual([expect.stringContaining('beside the alias @x')]);
  });

  it('of an older kind, in a chain, lead one step and can be removed', async () => {
    await fixture.broker.meta();
    await fixture.redis.hset(fixture.key('aliases'), 'a', 'b', 'b', 'c');
    expect(await fixture.broker.aliases.resolve('@a')).toBe('b');
    expect(await fixture.broker.aliases.remove('a')).toBe(true);
  });
});
