import { QueueBroker } from '../../../lib/broker/index.js';
import { freePort } from '../../support/redis-server.js';
import { refusal, useBroker } from './broker-fixture.js';

const fixture = useBroker('broker-refused');

const NO_IDS = [undefined, null, '', NaN, [], {}, 1, 1.5, '12', -1n, 2n ** 63n, true, ' '];
const NO_NAMES = [
  '',
  '.a',
  '-a',
  'a b',
  'é',
  '@',
  '@a b',
  'a:b',
  'a{b}',
  'x\n',
  'a'.repeat(513),
  null,
  7,
];
const NO_LIMITS = [0, -1, 1.5, NaN, Infinity, '1', null, 10_001, 1n];

/** Each of the calls is refused like that, and nothing was changed. */
async function expectRefused(
  calls: readonly (() => unknown)[],
  expected: { code: string; option?: string },
): Promise<void> {
  await fixture.insert('q', 1, 2);
  const before = await fixture.snapshot();
  for (const call of calls) expect(await refusal(call)).toEqual(expected);
  expect(await fixture.snapshot()).toEqual(before);
}

/** Values of wrong types, as callers without types pass them. */
const as = <T>(value: unknown): T => value as T;

describe('refused before any change', () => {
  it.each(NO_IDS)('the id %p', async (value) => {
    const id = as<bigint>(value);
    const queue = fixture.queue('q');
    const wrong = { code: 'INVALID_OPTION' };
    await expectRefused(
      [
        () => queue.read({ id }),
        () => queue.peek({ id }),
        () => queue.move('r', { id }),
        () => queue.delete(id),
        () => queue.deadLetters.redrive(id),
        () => queue.deadLetters.drop(id),
      ],
      { ...wrong, option: 'id' },
    );
    await fixture.broker.deleteAllQueues();
    await expectRefused(
      [
        () => queue.read({ after: id }),
        () => queue.readMany({ limit: 1, after: id }),
        () => queue.peekMany({ after: id }),
        () => queue.moveMany('r', { limit: 1, after: id }),
        () => queue.find('abc', { after: id }),
        () => queue.readAll({ after: id }).next(),
        () => queue.hasPending({ after: id }),
        () => queue.watch({ handler: () => undefined, after: id }),
      ],
      { ...wrong, option: 'after' },
    );
    await fixture.broker.deleteAllQueues();
    await expectRefused([() => queue.deleteMany([1n, id])], { ...wrong, option: 'ids' });
    await fixture.broker.deleteAllQueues();
    await expectRefused([() => fixture.broker.deleteQueues(['q'], { before: id })], {
      ...wrong,
      option: 'before',
    });
  });

  it.each(NO_NAMES)('the name %p', async (value) => {
    const name = as<string>(value);
    const { broker } = fixture;
    await expectRefused(
      [
        () => broker.queue(name),
        () => broker.write(name, 'x'),
        () => fixture.queue('q').move(name),
        () => fixture.queue('q').moveAll(name).next(),
        () => broker.insert([{ queue: name, id: 9n, body: '' }]),
        () => broker.deleteQueues(['q', name]),
        () => broker.rename('q', name),
        () => broker.rename(name, 'q'),
        () => broker.broadcast('x', { queues: ['q', name] }),
        () => broker.aliases.add('a', name),
        () => broker.aliases.add(name, 'a'),
        () => broker.aliases.resolve(name),
        () => broker.waiter([name]),
      ],
      { code: 'INVALID_QUEUE_NAME' },
    );
  });

  it.each(['a', '_x', 'a.b-c', '0', 'constructor', '__proto__', 'a'.repeat(512)])(
    'but not the name %p',
    async (name) => {
      await fixture.queue(name).write('x');
      expect((await fixture.queue(name).read())?.queue).toBe(name);
    },
  );

  it('lists that are none: missing never means all', async () => {
    const { broker } = fixture;
    for (const value of [undefined, null, '', NaN, {}, 'q', 1]) {
      const names = as<string[]>(value);
      await broker.deleteAllQueues();
      await expectRefused([() => broker.deleteQueues(names)], {
        code: 'INVALID_OPTION',
        option: 'names',
      });
      expect(await refusal(() => broker.broadcast('x', { queues: names }))).toEqual({
        code: 'INVALID_OPTION',
        option: 'queues',
      });
      expect(await refusal(() => fixture.queue('q').deleteMany(as(value)))).toEqual({
        code: 'INVALID_OPTION',
        option: 'ids',
      });
    }
    expect(await refusal(() => broker.waiter([]))).toMatchObject({ option: 'queues' });
  });

  it('lists with holes, as if undefined stood there', async () => {
    const { broker } = fixture;
    const holes = as<never[]>(new Array(3));
    const queue = fixture.queue('q');
    await expectRefused([() => broker.insert(holes)], {
      code: 'INVALID_OPTION',
      option: 'messages[0]',
    });
    for (const [call, code] of [
      [() => queue.deleteMany(holes), 'INVALID_OPTION'],
      [() => queue.writeMany(holes), 'INVALID_MESSAGE'],
      [() => broker.waiter(holes), 'INVALID_QUEUE_NAME'],
      [() => broker.deleteQueues(holes), 'INVALID_QUEUE_NAME'],
      [() => broker.broadcast('x', { queues: holes, createMissing: true }), 'INVALID_QUEUE_NAME'],
    ] as const) {
      expect(await refusal(call)).toMatchObject({ code });
    }
    expect(await broker.stats()).toMatchObject({ queues: 1, pending: 2 });
  });

  it.each([undefined, null, 5, '', [], new Date()])('%p in place of a message', async (message) => {
    await expectRefused([() => fixture.broker.insert([as(message)])], {
      code: 'INVALID_OPTION',
      option: 'messages[0]',
    });
  });

  it('a message with a key that is none', async () => {
    const known = { queue: 'q', id: 5n, body: 'x' };
    await expectRefused([() => fixture.broker.insert([known, as({ ...known, id: 6n, at: 1 })])], {
      code: 'INVALID_OPTION',
      option: 'messages[1].at',
    });
  });

  it.each([null, 2, '', [], true, new Date()])('%p in place of options', async (value) => {
    const { broker } = fixture;
    const queue = fixture.queue('q');
    const options = as<never>(value);
    await expectRefused(
      [
        () => queue.write('x', options),
        () => queue.read(options),
        () => queue.readMany(options),
        () => queue.readAll(options).next(),
        () => queue.peek(options),
        () => queue.peekMany(options),
        () => queue.peekAll(options).next(),
        () => queue.move('r', options),
        () => queue.moveMany('r', options),
        () => queue.moveAll('r', options).next(),
        () => queue.find('abc', options),
        () => queue.hasPending(options),
        () => queue.watch(options),
        () => queue.observe(options),
        () => broker.broadcast('x', options),
        () => broker.deleteQueues(['q'], options),
        () => broker.rename('q', 'r', options),
        () => broker.listQueues(options),
        () => broker.recoverStale(options),
        () => broker.dump(options).next(),
        () => broker.load([], options),
        () => broker.aliases.list(options),
      ],
      { code: 'INVALID_OPTION', option: 'options' },
    );
  });

  it('an advance of the ids that would leave none', async () => {
    await expectRefused([() => fixture.broker.ids.advance(2n ** 63n - 1n)], {
      code: 'INVALID_OPTION',
      option: 'id',
    });
  });

  it('lists that are too long for one step', async () => {
    const { broker } = fixture;
    const ids = Array.from({ length: 100_001 }, (_, n) => BigInt(n + 1));
    const names = ids.map((id) => `q${id}`);
    const wrong = (option: string) => ({ code: 'INVALID_OPTION', option });
    const rows = ids.map((id) => ({ queue: 'q', id, body: '' }));
    await expectRefused([() => fixture.queue('q').deleteMany(ids)], wrong('ids'));
    await broker.deleteAllQueues();
    await expectRefused([() => broker.deleteQueues(names)], wrong('names'));
    const queues = names;
    for (const createMissing of [true, false]) {
      const call = () => broker.broadcast('x', { queues, createMissing });
      expect(await refusal(call)).toEqual(wrong('queues'));
    }
    expect(await refusal(() => broker.insert(rows))).toEqual(wrong('messages'));
    expect(await broker.stats()).toMatchObject({ queues: 1, pending: 2 });
  });

  it('inserts that are too large for one step', async () => {
    const body = 'x'.repeat(10_000_000);
    const rows = Array.from({ length: 7 }, (_, n) => ({ queue: 'q', id: BigInt(n + 5), body }));
    await expectRefused([() => fixture.broker.insert(rows)], {
      code: 'INVALID_OPTION',
      option: 'messages',
    });
    await fixture.broker.insert(rows.slice(0, 2));
    expect(await fixture.queue('q').stats()).toMatchObject({ pending: 4 });
  });

  it.each(NO_LIMITS)('the limit %p', async (value) => {
    const limit = as<number>(value);
    const queue = fixture.queue('q');
    await expectRefused(
      [
        () => queue.readMany({ limit }),
        () => queue.peekMany({ limit }),
        () => queue.moveMany('r', { limit }),
      ],
      { code: 'INVALID_OPTION', option: 'limit' },
    );
    expect(await refusal(() => queue.readAll({ batchSize: limit }).next())).toEqual({
      code: 'INVALID_OPTION',
      option: 'batchSize',
    });
  });

  it.each(['Oldest', '', null, 1, [], {}])('the order %p', async (value) => {
    const order = as<'oldest'>(value);
    const queue = fixture.queue('q');
    await expectRefused([() => queue.read({ order }), () => queue.readMany({ limit: 1, order })], {
      code: 'INVALID_OPTION',
      option: 'order',
    });
  });

  it('an order where all are wanted, and an exact id with anything beside it', async () => {
    const queue = fixture.queue('q');
    const all = as<object>({ order: 'newest' });
    await expectRefused(
      [
        () => queue.readAll(all).next(),
        () => queue.peekAll(all).next(),
        () => queue.moveAll('r', all).next(),
      ],
      { code: 'INVALID_OPTION', option: 'options.order' },
    );
    for (const beside of [{ after: 1n }, { before: 9n }, { order: 'oldest' as const }]) {
      expect(await refusal(() => queue.read({ id: 1n, ...beside }))).toEqual({
        code: 'INVALID_OPTION',
        option: Object.keys(beside)[0],
      });
    }
  });

  it.each(['exactly_once', '', null, 1])('the guarantee %p', async (value) => {
    const guarantee = as<'exactly-once'>(value);
    await expectRefused([() => fixture.queue('q').readAll({ guarantee }).next()], {
      code: 'INVALID_OPTION',
      option: 'guarantee',
    });
  });

  it.each([0, 10_000, -1, true, '3', 2.5, NaN, null, undefined, 3n, []])(
    'keepNewest %p',
    async (value) => {
      const keepNewest = as<number>(value);
      await expectRefused([() => fixture.queue('q').write('x', { keepNewest })], {
        code: 'INVALID_OPTION',
        option: 'keepNewest',
      });
    },
  );

  it.each([undefined, null, 1, {}, '\ud800', 'a\udc00b', Buffer.from('x')])(
    'the body %p',
    async (value) => {
      const body = as<string>(value);
      const { broker } = fixture;
      await expectRefused(
        [
          () => broker.write('q', body),
          () => fixture.queue('q').writeMany(['x', body]),
          () => broker.broadcast(body),
          () => broker.insert([{ queue: 'q', id: 9n, body }]),
        ],
        { code: 'INVALID_MESSAGE' },
      );
    },
  );

  it('a body by its bytes, not its characters', async () => {
    const queue = fixture.another({ maxMessageBytes: 10 }).queue('q');
    await queue.write('1234567890');
    await queue.write('žžžžž');
    expect(await refusal(() => queue.write('12345678901'))).toEqual({ code: 'INVALID_MESSAGE' });
    expect(await refusal(() => queue.write('žžžžžž'))).toEqual({ code: 'INVALID_MESSAGE' });
  });

  it('ids that are taken, all or none', async () => {
    const { broker } = fixture;
    await broker.insert([
      { queue: 'q', id: 10n, body: 'a' },
      { queue: 'r', id: '0000000000000000020', body: 'b' },
    ]);
    const before = await fixture.snapshot();
    const taken = [
      { queue: 'q', id: 30n, body: 'c' },
      { queue: 'q', id: 20n, body: 'd' },
    ];
    expect(await refusal(() => broker.insert(taken))).toEqual({ code: 'INTEGRITY' });
    const twice = [taken[0], taken[0]];
    expect(await refusal(() => broker.insert(twice))).toEqual({ code: 'INTEGRITY' });
    for (const id of [0n, 2n ** 63n - 1n]) {
      const wrong = () => broker.insert([{ queue: 'q', id, body: '' }]);
      expect(await refusal(wrong)).toEqual({ code: 'INVALID_OPTION', option: 'id' });
    }
    await broker.insert([]);
    expect(await fixture.snapshot()).toEqual(before);
  });

  it.each([
    '',
    '  ab ',
    'ab',
    '\ud800abc',
    'abc\udfff',
    'a'.repeat(1_025),
    null,
    undefined,
    7,
    ['abc'],
  ])('the text %p to find', async (value) => {
    await expectRefused([() => fixture.queue('q').find(as(value))], {
      code: 'INVALID_OPTION',
      option: 'text',
    });
  });

  it.each(['', null, undefined, 7, [], {}, '*'.repeat(1_025)])(
    'the pattern %p, which never means all queues',
    async (value) => {
      const pattern = as<string>(value);
      await expectRefused(
        [
          () => fixture.broker.broadcast('x', { pattern }),
          () => fixture.broker.listQueues({ pattern }),
        ],
        { code: 'INVALID_OPTION', option: 'pattern' },
      );
    },
  );

  it('broadcasts and lists that contradict themselves', async () => {
    const { broker } = fixture;
    const wrong = (option: string) => ({ code: 'INVALID_OPTION', option });
    const both = () => broker.broadcast('x', { pattern: '*', queues: [] });
    expect(await refusal(both)).toEqual(wrong('pattern'));
    const alone = () => broker.broadcast('x', { createMissing: true });
    expect(await refusal(alone)).toEqual(wrong('createMissing'));
    const odd = () => broker.broadcast('x', { queues: [], createMissing: as(1) });
    expect(await refusal(odd)).toEqual(wrong('createMissing'));
    expect(await refusal(() => broker.listQueues({ prefix: 'a', pattern: '*' }))).toEqual(
      wrong('pattern'),
    );
    for (const prefix of ['a b', '', undefined, null, 7]) {
      const listing = () => broker.listQueues({ prefix: as(prefix) });
      expect(await refusal(listing)).toEqual({ code: 'INVALID_QUEUE_NAME' });
    }
    expect(await refusal(() => broker.rename('a', 'a'))).toEqual(wrong('to'));
    expect(await refusal(() => broker.recoverStale({ olderThanMs: -1 }))).toEqual(
      wrong('olderThanMs'),
    );
  });

  it.each([
    ['namespace', ''],
    ['namespace', 'a:b'],
    ['namespace', 'a b'],
    ['namespace', 'a*'],
    ['namespace', 'x'.repeat(129)],
    ['namespace', null],
    ['maxConnections', 0],
    ['maxConnections', true],
    ['maxConnections', 1.5],
    ['poolTimeoutMs', 0],
    ['poolTimeoutMs', Infinity],
    ['poolTimeoutMs', 2 ** 31],
    ['poolTimeoutMs', '5'],
    ['maxMessageBytes', 0],
    ['staleBatchMs', NaN],
    ['batchSize', 0],
    ['leaseMs', 0],
    ['autoVacuum', 1],
    ['schema', 'x'],
  ])('the option %s as %p', async (option, value) => {
    const url = `redis://127.0.0.1:${await freePort()}`;
    const make = () => new QueueBroker(as({ connection: { url }, [option]: value }));
    expect(await refusal(make)).toEqual({ code: 'INVALID_OPTION', option: `options.${option}` });
  });
});
