import { jest } from '@jest/globals';
import { bodiesOf, collect, idsOf, useBroker } from './broker-fixture.js';
import { formatId, RedisBackend } from '../../../lib/broker/index.js';
import { JSON_CODEC } from '../../../lib/delivery/index.js';

const fixture = useBroker('broker-read');

describe('write', () => {
  it('answers rising ids of 19 digits, the ones that peek shows', async () => {
    const queue = fixture.queue('inbox');
    const ids = [await queue.write('one'), await queue.write('two')];
    expect(ids[1]).toBeGreaterThan(ids[0]);
    expect(ids.map(formatId).join()).toMatch(/^\d{19},\d{19}$/);
    expect(idsOf(await queue.peekMany())).toEqual(ids);
  });

  it('keeps the order of writes in flight, also over many queues', async () => {
    const writes = Array.from({ length: 1_500 }, (_, n) =>
      fixture.broker.write(`q${n % 3}`, `${n}`),
    );
    const ids = await Promise.all(writes);
    expect(ids).toEqual([...ids].sort((one, other) => (one < other ? -1 : 1)));
    expect(new Set(ids).size).toBe(ids.length);
    const found = await fixture.queue('q1').readMany({ limit: 10_000 });
    expect(bodiesOf(found)).toEqual(
      Array.from({ length: 1_500 }, (_, n) => `${n}`).filter((_, n) => n % 3 === 1),
    );
  });

  it('takes many bodies at once', async () => {
    const ids = await fixture.queue('inbox').writeMany(['a', 'b', 'c']);
    expect(idsOf(await fixture.queue('inbox').peekMany())).toEqual(ids);
    expect(await fixture.queue('inbox').writeMany([])).toEqual([]);
  });

  it.each(['', '\0', 'a\0b', 'žluťoučký 馬 👩‍👩‍👧', '{"json": [1]}', ' \r\n\t'])(
    'gives back the body as it is: %j',
    async (body) => {
      await fixture.queue('inbox').write(body);
      expect((await fixture.queue('inbox').read())?.body).toBe(body);
    },
  );

  it('rises whatever the clocks of the writers say', async () => {
    const first = await fixture.queue('inbox').write('now');
    const clock = jest.spyOn(Date, 'now').mockReturnValue(1);
    try {
      expect(await fixture.another().queue('inbox').write('then')).toBeGreaterThan(first);
    } finally {
      clock.mockRestore();
    }
  });

  it('tells apart what a codec reads and what it does not', async () => {
    await fixture.queue('inbox').write('{"half');
    const broker = fixture.another<{ n: number }>({ codec: JSON_CODEC });
    await broker.write('inbox', { n: 1 });
    const [half, whole] = await broker.queue<unknown>('inbox').readMany({ limit: 2 });
    expect(half).toMatchObject({ body: '{"half', unreadable: expect.any(Error) as Error });
    expect(whole).toMatchObject({ body: { n: 1 }, unreadable: null });
  });
});

describe('a look at what waits', () => {
  it('needs no body: neither for the newest id nor for whether there is one', async () => {
    const decoded: unknown[] = [];
    const decode = (bytes: Buffer) => decoded.push(bytes);
    const broker = fixture.another({ codec: { encode: String, decode } });
    const peek = jest.spyOn(RedisBackend.prototype, 'peek');
    try {
      const queue = broker.queue('inbox');
      const ids = await queue.writeMany(['one', 'two', 'three']);
      await fixture.redis.hdel(fixture.key('bodies'), formatId(ids[0]));
      expect(await queue.hasPending()).toBe(true);
      expect(await queue.latestId()).toBe(ids[2]);
      expect(await queue.hasPending({ after: ids[1] })).toBe(true);
      expect(await queue.hasPending({ after: ids[2] })).toBe(false);
      expect(await broker.queue('none').latestId()).toBe(null);
      await fixture.redis.zrem(fixture.key('q', 'inbox', 'pending'), formatId(ids[0]));
      expect([decoded.length, peek.mock.calls.length]).toEqual([0, 0]);
    } finally {
      peek.mockRestore();
    }
  });
});

describe('read', () => {
  it('takes the oldest, which stays as a claimed message until a vacuum', async () => {
    const queue = fixture.queue('inbox');
    await queue.writeMany(['one', 'two']);
    expect((await queue.read())?.body).toBe('one');
    expect(await queue.stats()).toMatchObject({ pending: 1, claimed: 1, total: 2, exists: true });
    expect((await queue.read())?.body).toBe('two');
    expect(await queue.read()).toBe(null);
    expect(await queue.exists()).toBe(true);
    expect((await fixture.broker.listQueues()).map((one) => one.queue)).toEqual(['inbox']);
    expect(await fixture.broker.vacuum()).toBe(2);
    expect(await queue.exists()).toBe(false);
    expect(await fixture.broker.listQueues()).toEqual([]);
    expect(await fixture.redis.exists(fixture.key('bodies'))).toBe(0);
  });

  it('keeps strictly to its bounds, oldest or newest first', async () => {
    await fixture.insert('q', 100, 200, 300);
    const queue = fixture.queue('q');
    expect(idsOf(await queue.peekMany({ after: 100n, before: 300n }))).toEqual([200n]);
    expect(idsOf(await queue.peekMany({ order: 'newest', limit: 2 }))).toEqual([300n, 200n]);
    expect(idsOf(await collect(queue.peekAll()))).toEqual([100n, 200n, 300n]);
    expect((await queue.read({ order: 'newest', before: '0000000000000000300' }))?.id).toBe(200n);
    expect(idsOf(await queue.readMany({ limit: 9, after: 0n }))).toEqual([100n, 300n]);
  });

  it('takes exactly the named message', async () => {
    await fixture.insert('q', 10, 20, 30);
    expect((await fixture.queue('q').read({ id: 20n }))?.body).toBe('m20');
    expect(await fixture.queue('q').read({ id: 20n })).toBe(null);
    expect(await fixture.queue('q').read({ id: 0n })).toBe(null);
    expect((await fixture.queue('q').peek({ id: 20n, includeClaimed: true }))?.state).toBe(
      'claimed',
    );
  });

  it('commits each message of a generator before it is handed out', async () => {
    await fixture.insert('q', 1, 2, 3);
    const seen: bigint[] = [];
    for await (const { id } of fixture.queue('q').readAll()) {
      seen.push(id);
      if (id === 2n) break;
    }
    expect(seen).toEqual([1n, 2n]);
    expect(await fixture.queue('q').stats()).toMatchObject({ pending: 1, claimed: 2 });
  });

  it('goes past ids without a body, and drops them', async () => {
    await fixture.insert('q', 1, 2, 3, 4);
    await fixture.redis.hdel(fixture.key('bodies'), '0000000000000000001', '0000000000000000003');
    expect(idsOf(await fixture.queue('q').readMany({ limit: 2 }))).toEqual([2n, 4n]);
    expect(await fixture.queue('q').stats()).toMatchObject({ pending: 0, claimed: 2 });
  });

  it('does not go on behind a named message that has lost its body', async () => {
    await fixture.insert('q', 1, 2);
    await fixture.redis.hdel(fixture.key('bodies'), '0000000000000000001');
    expect(await fixture.queue('q').read({ id: 1n })).toBe(null);
    expect((await fixture.queue('q').read())?.id).toBe(2n);
  });

  it('gives each of many reads in flight a message of its own, and the last ones none', async () => {
    const { queue: other, broker } = { queue: fixture.queue('other'), broker: fixture.broker };
    const ids = await fixture.queue('q').writeMany(Array.from({ length: 60 }, (_, n) => `${n}`));
    const [otherId] = await other.writeMany(['x']);
    const reads = Array.from({ length: 70 }, () => broker.queue('q').read());
    const wrong = broker.queue('@none').read();
    const [found, one] = await Promise.all([Promise.all(reads), other.read()]);
    await expect(wrong).rejects.toMatchObject({ code: 'ALIAS' });
    expect(found.map((message) => message?.id ?? null)).toEqual([
      ...ids,
      ...Array<null>(10).fill(null),
    ]);
    expect(one).toMatchObject({ id: otherId, queue: 'other' });
  });

  it('gives every read in flight its message, however large they are', async () => {
    const queue = fixture.queue('q');
    await queue.writeMany(Array.from({ length: 6 }, (_, n) => `${n}`.repeat(5_000_000)));
    const found = await Promise.all(Array.from({ length: 6 }, () => queue.read()));
    expect(found.map((message) => message?.body[0])).toEqual(['0', '1', '2', '3', '4', '5']);
  });

  it('answers less than asked for where the bodies are large', async () => {
    const queue = fixture.queue('q');
    await queue.writeMany(Array.from({ length: 6 }, (_, n) => `${n}`.repeat(5_000_000)));
    const first = await queue.readMany({ limit: 6 });
    const rest = await queue.readMany({ limit: 6 });
    expect([first.length, rest.length]).toEqual([4, 2]);
    expect(rest[1].body).toHaveLength(5_000_000);
  });
});

describe('ids', () => {
  it('near 2^53 and 2^63 stay apart', async () => {
    const near = [2n ** 53n - 1n, 2n ** 53n, 2n ** 53n + 1n, 2n ** 63n - 3n, 2n ** 63n - 2n];
    await fixture.broker.insert(near.map((id) => ({ queue: 'q', id, body: id.toString() })));
    const queue = fixture.queue('q');
    expect(idsOf(await queue.peekMany())).toEqual(near);
    expect((await queue.read({ id: 2n ** 53n + 1n }))?.body).toBe(`${2n ** 53n + 1n}`);
    expect(await queue.delete(2n ** 63n - 3n)).toBe(true);
    expect(idsOf(await queue.peekMany())).toEqual([near[0], near[1], near[4]]);
  });

  it('end with an error of their own, and nothing is written then', async () => {
    await fixture.broker.ids.advance(2n ** 63n - 2n);
    expect(await fixture.queue('q').write('the last')).toBe(2n ** 63n - 1n);
    const before = await fixture.snapshot();
    for (const call of [
      () => fixture.queue('q').write('x'),
      () => fixture.queue('q').write('x', { keepNewest: 1 }),
      () => fixture.broker.broadcast('x'),
      () => fixture.broker.ids.generate(),
    ]) {
      await expect(call()).rejects.toMatchObject({ code: 'TIMESTAMP' });
    }
    expect(await fixture.snapshot()).toEqual(before);
  });

  it('carry over from the low limb to the high one', async () => {
    await fixture.broker.ids.advance(9_000_000_000_999_999_999n);
    expect(await fixture.queue('q').write('x')).toBe(9_000_000_001_000_000_000n);
  });

  it('are remembered, refreshed and advanced', async () => {
    const other = fixture.another();
    expect(await other.ids.last()).toBe(0n);
    const id = await fixture.queue('q').write('x');
    expect(await fixture.broker.ids.last()).toBe(id);
    expect(await other.ids.last()).toBe(0n);
    expect(await other.ids.refresh()).toBe(id);
    expect(await fixture.broker.ids.advance(5n)).toBe(id);
    const generated = await other.ids.generate();
    expect(generated).toBeGreaterThan(id);
    expect(await fixture.broker.ids.advance(id + 1n)).toBe(generated);
    expect(await fixture.queue('q').write('y')).toBeGreaterThan(generated);
  });

  it('are remembered after an insert, and forgotten with the namespace', async () => {
    const high = 2n ** 62n;
    const { broker } = fixture;
    const other = fixture.another();
    await broker.insert([{ queue: 'q', id: high, body: 'x' }]);
    expect(await broker.ids.last()).toBe(high);
    expect(await other.ids.refresh()).toBe(high);
    await broker.cleanUp();
    expect(await broker.ids.last()).toBe(0n);
    expect(await other.ids.last()).toBe(high);
    expect(await other.ids.refresh()).toBe(0n);
    expect(await other.ids.last()).toBe(0n);
  });
});
