import { collect, idsOf, useBroker } from './broker-fixture.js';
import { useHolder } from './holder.js';

const fixture = useBroker('broker-due');
const holder = useHolder(fixture, { autoVacuum: false });

/** More than two calls give back. */
const COUNT = 2_100;
const HALF = COUNT / 2;
const AN_HOUR = 3_600_000;
const KEEP_DEAD = { count: 10, ageMs: 0 };

type Kind = 'held' | 'postponed' | 'half of each';
const HELD: Readonly<Record<Kind, number>> = { held: COUNT, postponed: 0, 'half of each': HALF };

/** Messages that wait again since a moment ago, the oldest of them last; nobody has looked since. */
async function due(kind: Kind, attempts = 3): Promise<readonly bigint[]> {
  const bodies = Array.from({ length: COUNT }, (_, n) => `body ${n}`);
  const ids = await holder.queue.writeMany(bodies);
  const terms = { queue: 'q', leaseMs: AN_HOUR, attempts, keepDead: KEEP_DEAD };
  const { rows } = await holder.backend.holds.settle({ ...terms, outcomes: [], limit: COUNT });
  const outcomes = rows
    .slice(HELD[kind])
    .map(({ id, fence }) => ({ verb: 'retry' as const, id, fence, delayMs: AN_HOUR, reason: '' }));
  await holder.backend.holds.settle({ ...terms, outcomes, limit: 0 });
  const scores = ids.flatMap((id, at) => [COUNT - at, id.toString()]);
  await fixture.redis.zadd(fixture.key('q', 'q', 'leases'), ...scores);
  return ids;
}

/** The ids in the sets of the queue. */
const sets = (): Promise<string[][]> => {
  const parts = ['pending', 'postponed', 'reserved', 'claimed', 'dead', 'leases'];
  return Promise.all(
    parts.map((part) => fixture.redis.zrange(fixture.key('q', 'q', part), '0', '-1')),
  );
};

const queue = () => holder.queue;
const takeAll = { limit: 10_000 } as const;

/** What each verb answers, as indexes of the ids. */
type Verb = readonly [
  name: string,
  verb: (ids: readonly bigint[]) => Promise<readonly bigint[]>,
  expected: readonly number[],
];

const all = Array.from({ length: COUNT }, (_, n) => n);
const one = (message: { readonly id: bigint } | null) => (message === null ? [] : [message.id]);
const idOf = (id: bigint | null) => (id === null ? [] : [id]);

const VERBS: readonly Verb[] = [
  ['read', async () => one(await queue().read()), [0]],
  ['read newest', async () => one(await queue().read({ order: 'newest' })), [COUNT - 1]],
  ['read by id', async (ids) => one(await queue().read({ id: ids[3] })), [3]],
  ['read after', async (ids) => one(await queue().read({ after: ids[7] })), [8]],
  ['read before', async (ids) => one(await queue().read({ before: ids[1] })), [0]],
  ['readMany', async () => idsOf(await queue().readMany(takeAll)), all],
  [
    'readAll',
    async (ids) => idsOf(await collect(queue().readAll({ after: ids[COUNT - 4] }))),
    all.slice(-3),
  ],
  [
    'a batch',
    async (ids) => {
      const bounds = { before: ids[3], guarantee: 'at-least-once' } as const;
      return idsOf(await collect(queue().readAll(bounds)));
    },
    [0, 1, 2],
  ],
  ['move', async () => one(await queue().move('r')), [0]],
  ['move newest', async () => one(await queue().move('r', { order: 'newest' })), [COUNT - 1]],
  ['move by id', async (ids) => one(await queue().move('r', { id: ids[3] })), [3]],
  ['moveMany', async () => idsOf(await queue().moveMany('r', takeAll)), all],
  [
    'moveAll',
    async (ids) => {
      const bounds = { after: ids[COUNT - 4], guarantee: 'at-least-once' } as const;
      return idsOf(await collect(queue().moveAll('r', bounds)));
    },
    all.slice(-3),
  ],
  ['latestId', async () => idOf(await queue().latestId()), [COUNT - 1]],
  [
    'hasPending',
    async (ids) => ((await queue().hasPending({ after: ids[COUNT - 2] })) ? ids.slice(-1) : []),
    [COUNT - 1],
  ],
  ['find', (ids) => queue().find('body 5', { before: ids[100] }), [5, ...all.slice(50, 60)]],
  ['a claim', async () => (await holder.hold(2)).map(({ message }) => BigInt(message.id)), [0, 1]],
];

describe.each<Kind>(['held', 'postponed', 'half of each'])(
  'messages that wait again, %s before, more than one call gives back',
  (kind) => {
    it.each(VERBS)('are seen whole by %s', async (_, verb, expected) => {
      const ids = await due(kind);
      const found = await verb(ids);
      expect(found.map((id) => ids.indexOf(id))).toEqual(expected);
    });

    it('are pending to who only looks, and nothing is changed by it', async () => {
      const ids = await due(kind);
      const before = await sets();
      const shown = await queue().peekMany(takeAll);
      expect(idsOf(shown)).toEqual(ids);
      expect(new Set(shown.map(({ state }) => state))).toEqual(new Set(['pending']));
      expect(await queue().peek({ id: ids[0] })).toMatchObject({ state: 'pending' });
      const counts = { pending: COUNT, postponed: 0, reserved: 0 };
      expect(await queue().stats()).toMatchObject(counts);
      expect(await fixture.broker.listQueues()).toMatchObject([counts]);
      expect(await sets()).toEqual(before);
      expect(await holder.engine.health('q')).toMatchObject({ waiting: COUNT, running: 0 });
    });

    it('are given back by a recovery, which counts those that were held', async () => {
      await due(kind);
      await fixture.queue('other').writeMany(['1', '2']);
      expect(await fixture.broker.recoverStale()).toBe(HELD[kind]);
      expect(await fixture.broker.recoverStale({ olderThanMs: 0 })).toBe(0);
      expect(await fixture.redis.zcard(fixture.key('q', 'q', 'pending'))).toBe(COUNT);
    });

    it('are drained by who reads while something waits', async () => {
      await due(kind);
      let count = 0;
      while (await queue().hasPending()) count += (await queue().readMany({ limit: 500 })).length;
      expect(count).toBe(COUNT);
    });
  },
);

describe('messages whose last attempt has lapsed', () => {
  it('do not wait: nobody is told so, and they are dead letters once somebody asks', async () => {
    const ids = await due('held', 1);
    expect(await queue().peek({ id: ids[0] })).toMatchObject({ state: 'reserved' });
    expect(await queue().stats()).toMatchObject({ reserved: COUNT, dead: 0 });
    expect(await queue().hasPending()).toBe(false);
    expect(await queue().stats()).toMatchObject({ pending: 0, reserved: 0, dead: COUNT });
  });

  it('are counted by a recovery', async () => {
    await due('held', 1);
    expect(await fixture.broker.recoverStale()).toBe(COUNT);
    expect(await queue().stats()).toMatchObject({ pending: 0, dead: COUNT });
  });
});

describe('messages that are held or postponed still', () => {
  it('are shown so beside those that are not', async () => {
    const ids = await due('half of each');
    const leases = fixture.key('q', 'q', 'leases');
    for (const at of [0, COUNT - 1]) {
      await fixture.redis.zadd(leases, Date.now() + AN_HOUR, ids[at].toString());
    }
    const shown = await queue().peekMany(takeAll);
    const states = [0, 1, COUNT - 2, COUNT - 1].map((at) => shown[at].state);
    expect(states).toEqual(['reserved', 'pending', 'pending', 'postponed']);
    expect(await queue().stats()).toMatchObject({ pending: COUNT, postponed: 1, reserved: 1 });
    expect(await queue().find('body')).not.toContain(ids[0]);
    expect(await queue().latestId()).toBe(ids[COUNT - 2]);
    expect(await fixture.broker.recoverStale()).toBe(0);
    expect(await queue().stats()).toMatchObject({ pending: COUNT, postponed: 1, reserved: 1 });
  });

  it('are left alone by a recovery that gives back those of other queues', async () => {
    await due('held');
    const names = Array.from({ length: 450 }, (_, n) => `q${n}`);
    await fixture.broker.broadcast('x', { queues: names, createMissing: true });
    const terms = { limit: 1, leaseMs: AN_HOUR, attempts: 3, keepDead: KEEP_DEAD, outcomes: [] };
    for (const name of names.slice(0, 3)) {
      await holder.backend.holds.settle({ ...terms, queue: name });
    }
    await fixture.lapse('q0');
    await fixture.lapse('q1');
    expect(await fixture.broker.recoverStale()).toBe(COUNT + 2);
    expect(await fixture.queue('q2').stats()).toMatchObject({ reserved: 1 });
  });
});
