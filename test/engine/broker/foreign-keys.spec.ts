import { Logger } from '@nestjs/common';
import type { OpenBatch } from '../../../lib/broker/index.js';
import type { Delivery } from '../../../lib/contract/index.js';
import { collect, refusal, useBroker } from './broker-fixture.js';
import { FAILURE, Holder } from './holder.js';

const fixture = useBroker('broker-foreign');
const atLeastOnce = { guarantee: 'at-least-once', batchSize: 9 } as const;

// upkeep tells of the damage too
beforeAll(() => void Logger.overrideLogger(false));

/** A namespace in which every verb finds something to do, also among lapsed leases. */
interface Scene {
  readonly holder: Holder;
  readonly held: Delivery;
  readonly ids: readonly bigint[];
  readonly batch: OpenBatch;
}

async function scene(): Promise<Scene> {
  fixture.open();
  fixture.isDamaged = true;
  const holder = new Holder(fixture, { autoVacuum: false }).open();
  const { broker } = holder;
  const ids = await broker.queue('q').writeMany(Array.from({ length: 12 }, (_, n) => `body ${n}`));
  await broker.queue('t').writeMany(['1', '2', '3']);
  await broker.write('other', 'x');
  await broker.aliases.add('known', 'q');
  for (const name of ['q', 't']) await broker.queue(name).read();
  const [dead] = await holder.hold();
  await dead.nack({ error: FAILURE, retryInMs: null });
  await holder.postpone(60_000);
  const [held] = await holder.hold();
  await holder.hold();
  await fixture.lapse('q');
  const bounds = { after: null, before: null, limit: 1 };
  const batch = await holder.backend.beginBatch({ queue: 't', target: 'new', ...bounds });
  return { holder, held, ids, batch };
}

const queue = ({ holder }: Scene) => holder.broker.queue('q');
const broker = ({ holder }: Scene) => holder.broker;

const VERBS: Readonly<Record<string, (scene: Scene) => Promise<unknown>>> = {
  write: (all) => queue(all).write('x'),
  writeMany: (all) => queue(all).writeMany(['x', 'y']),
  keepNewest: (all) => queue(all).write('x', { keepNewest: 1 }),
  insert: (all) => broker(all).insert(['a', 'q'].map((name, n) => row(name, n))),
  broadcast: (all) => broker(all).broadcast('x'),
  'broadcast to new queues': (all) =>
    broker(all).broadcast('x', { queues: ['a', 'q', 'new'], createMissing: true }),
  read: (all) => queue(all).read(),
  readMany: (all) => queue(all).readMany({ limit: 5 }),
  move: (all) => queue(all).move('t'),
  moveMany: (all) => queue(all).moveMany('new', { limit: 5 }),
  'move with claimed ones': (all) =>
    queue(all).moveMany('t', { limit: 20, requireUnclaimed: false }),
  delete: (all) => queue(all).delete(all.ids[9]),
  deleteMany: (all) => queue(all).deleteMany(all.ids),
  deleteAll: (all) => queue(all).deleteAll(),
  deleteQueues: (all) => broker(all).deleteQueues(['other', 'q']),
  'deleteQueues below a bound': (all) =>
    broker(all).deleteQueues(['other', 'q'], { before: all.ids[9] }),
  rename: (all) => broker(all).rename('q', 'new'),
  'alias add': (all) => broker(all).aliases.add('more', 'q'),
  'alias remove': (all) => broker(all).aliases.remove('known'),
  vacuum: (all) => broker(all).vacuum(),
  'batch begin': (all) => queue(all).readAll(atLeastOnce).next(),
  'batch of a move': (all) => queue(all).moveAll('new', atLeastOnce).next(),
  'batch commit': (all) => all.holder.backend.endBatch('commit', all.batch),
  'batch roll-back': (all) => all.holder.backend.endBatch('rollback', all.batch),
  recoverStale: (all) => broker(all).recoverStale({ olderThanMs: 0 }),
  find: (all) => queue(all).find('body'),
  peek: (all) => queue(all).peekMany({ includeClaimed: true }),
  dump: (all) => collect(broker(all).dump()),
  claim: (all) => all.holder.hold(3),
  ack: (all) => all.held.ack(),
  retry: (all) => all.held.nack({ error: FAILURE, retryInMs: 0 }),
  'delayed retry': (all) => all.held.nack({ error: FAILURE, retryInMs: 60_000 }),
  fail: (all) => all.held.nack({ error: FAILURE, retryInMs: null }),
  release: (all) => all.held.release(),
  extend: (all) => all.held.extend(),
  upkeep: (all) => all.holder.upkeep(),
  redrive: (all) => queue(all).deadLetters.redrive(String(all.ids[1])),
  drop: (all) => queue(all).deadLetters.drop(String(all.ids[1])),
};

const row = (name: string, n: number) => ({ queue: name, id: BigInt(n + 5), body: 'x' });

const PARTS = ['pending', 'postponed', 'reserved', 'claimed', 'dead', 'leases'];
const KEYS = [
  ...PARTS.map((part) => ['q', 'q', part]),
  ...['pending', 'reserved', 'claimed'].map((part) => ['q', 't', part]),
  ...['pending', 'leases'].map((part) => ['q', 'new', part]),
  ...['bodies', 'runs', 'queues', 'aliases', 'batches'].map((name) => [name]),
];

describe('a key of another type', () => {
  /** What a verb answers to it, and whether it changed something. */
  async function attempt(verb: string, parts: readonly string[]) {
    const all = await scene();
    await fixture.redis.del(fixture.key(...parts));
    await fixture.redis.rpush(fixture.key(...parts), 'foreign');
    const before = JSON.stringify(await fixture.snapshot());
    const { code } = await refusal(() => VERBS[verb](all));
    const hasChanged = before !== JSON.stringify(await fixture.snapshot());
    await all.holder.close();
    await fixture.redis.unlink(...(await fixture.keys()).map((key) => fixture.base + key));
    await fixture.close();
    return { code, hasChanged };
  }

  it.each(KEYS.map((parts) => [parts.join(':'), parts] as const))(
    'at %s makes verbs refuse before any change, or work without it',
    async (_, parts) => {
      const known = [undefined, 'INTEGRITY', 'OPERATION_FAILED', 'QUEUE_EXISTS'];
      for (const verb of Object.keys(VERBS)) {
        const { code, hasChanged } = await attempt(verb, parts);
        expect(known).toContain(code);
        if (code !== undefined) expect([verb, hasChanged]).toEqual([verb, false]);
      }
    },
    60_000,
  );

  it.each<[string, readonly string[]]>([
    ['deleteQueues', ['q', 'q', 'dead']],
    ['rename', ['q', 'q', 'claimed']],
    ['moveMany', ['queues']],
    ['delete', ['bodies']],
    ['deleteMany', ['bodies']],
    ['alias add', ['queues']],
    ['read', ['q', 'q', 'claimed']],
    ['batch begin', ['batches']],
    ['batch commit', ['batches']],
    ['ack', ['q', 'q', 'claimed']],
  ])('is told by %s as what it is', async (verb, parts) => {
    expect(await attempt(verb, parts)).toEqual({ code: 'INTEGRITY', hasChanged: false });
  });
});
