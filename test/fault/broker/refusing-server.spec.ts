import type { Delivery } from '../../../lib/contract/index.js';
import { BrokerFixture, bodiesOf, idsOf, refusal } from '../../engine/broker/broker-fixture.js';
import { FAILURE, Holder } from '../../engine/broker/holder.js';
import { startServer, type TestServer } from '../../support/redis-server.js';

// a server of its own, since these tests take its memory away
let server: TestServer;
let fixture: BrokerFixture;

beforeAll(async () => {
  server = await startServer();
  fixture = new BrokerFixture('broker-refusing', server.url);
});

afterAll(async () => {
  await fixture.end();
  await server.stop();
});

beforeEach(() => fixture.open());
afterEach(async () => {
  await fixture.redis.config('SET', 'maxmemory', '0');
  await fixture.close();
});

describe('a server without memory', () => {
  it('refuses what would need some, with nothing changed, and takes it later', async () => {
    await fixture.queue('q').writeMany(['1', '2', '3']);
    await fixture.broker.queue('q').find('any');
    const held = fixture.queue('q').readAll({ guarantee: 'at-least-once', batchSize: 1 });
    await held.next();
    const before = await fixture.snapshot();
    await fixture.redis.config('SET', 'maxmemory', '1');
    const calls: readonly (() => Promise<unknown>)[] = [
      () => fixture.broker.write('q', 'x'),
      () => fixture.broker.write('q', 'x', { keepNewest: 9 }),
      () => fixture.broker.insert([{ queue: 'q', id: 5n, body: 'x' }]),
      () => fixture.broker.broadcast('x'),
      () => fixture.broker.ids.generate(),
      () => fixture.broker.aliases.add('a', 'q'),
    ];
    for (const call of calls) {
      expect(await refusal(call)).toEqual({ code: 'OPERATION_FAILED', retryable: true });
    }
    expect(await fixture.snapshot()).toEqual(before);
    await fixture.redis.config('SET', 'maxmemory', '0');
    await held.return();
    for (const call of calls.slice(0, 3)) await call();
    expect(bodiesOf(await fixture.queue('q').peekMany())).toEqual(['x', '1', '2', '3', 'x', 'x']);
  });
});

describe('a server without memory lets through', () => {
  const atLeastOnce = { guarantee: 'at-least-once', batchSize: 1 } as const;
  const fill = () => fixture.redis.config('SET', 'maxmemory', '1');
  let holder: Holder;
  beforeEach(() => void (holder = new Holder(fixture).open()));
  afterEach(async () => {
    await fixture.redis.config('SET', 'maxmemory', '0');
    await holder.close();
  });

  it('reads and moves, so that it can be drained', async () => {
    await fixture.insert('q', 1, 2, 3, 4);
    await fill();
    expect((await fixture.queue('q').read())?.id).toBe(1n);
    expect((await fixture.queue('q').move('r'))?.id).toBe(2n);
    expect(idsOf(await fixture.queue('q').readMany({ limit: 9 }))).toEqual([3n, 4n]);
    expect(await fixture.queue('q').read()).toBe(null);
    expect(await fixture.broker.vacuum()).toBe(3);
    expect(await fixture.queue('r').stats()).toMatchObject({ pending: 1, exists: true });
  });

  it('batches, their commit and their roll-back', async () => {
    await fixture.insert('q', 1, 2, 3, 4);
    await fill();
    const [read, moved, given] = [
      fixture.queue('q').readAll({ ...atLeastOnce, before: 2n }),
      fixture.queue('q').moveAll('r', { ...atLeastOnce, after: 1n, before: 3n }),
      fixture.queue('q').readAll(atLeastOnce),
    ];
    for (const batch of [read, moved, given]) await batch.next();
    await given.return();
    for (const batch of [read, moved]) expect((await batch.next()).done).toBe(true);
    expect(await fixture.queue('q').stats()).toMatchObject({ pending: 2, reserved: 0, claimed: 1 });
    expect(await fixture.queue('r').stats()).toMatchObject({ pending: 1 });
  });

  it('claims of processors', async () => {
    await fixture.insert('q', 1, 2);
    await fill();
    for (let n = 0; n < 2; n++) await (await holder.hold())[0].ack();
    expect(await fixture.queue('q').stats()).toMatchObject({ pending: 0, claimed: 2 });
  });

  it('extensions, and every end of a run, also those behind a delayed retry', async () => {
    const bodies = ['postponed', 'acked', 'retried', 'dead', 'released', 'kept'];
    await fixture.queue('q').writeMany(bodies);
    const held: Delivery[] = [];
    while (held.length < bodies.length) held.push(...(await holder.hold()));
    const [postponed, acked, retried, dead, released, kept] = held;
    await fill();
    await kept.extend();
    await Promise.all([
      postponed.nack({ error: FAILURE, retryInMs: 60_000 }),
      acked.ack(),
      retried.nack({ error: FAILURE, retryInMs: 0 }),
      dead.nack({ error: FAILURE, retryInMs: null }),
      released.release({ delayMs: 60_000 }),
    ]);
    expect(await fixture.queue('q').stats()).toMatchObject({
      ...{ pending: 4, postponed: 2, reserved: 1, claimed: 1, dead: 1 },
    });
    expect(await holder.engine.deadLetters('q').redrive(dead.message.id)).toBe(true);
    await kept.ack();
  });

  it('the recovery of batches and of leases', async () => {
    await fixture.insert('q', 1, 2);
    await fixture.queue('q').readAll(atLeastOnce).next();
    await holder.hold();
    await fixture.lapse('q');
    await fill();
    await holder.upkeep();
    expect(await fixture.broker.recoverStale({ olderThanMs: 0 })).toBe(1);
    expect(await fixture.queue('q').stats()).toMatchObject({ pending: 2, reserved: 0 });
  });
});

describe('a server that is a replica', () => {
  it('is refused for a while, then works again', async () => {
    await fixture.queue('q').write('1');
    await fixture.redis.replicaof('127.0.0.1', '1');
    const writing = fixture.queue('q').write('2');
    setTimeout(() => void fixture.redis.replicaof('NO', 'ONE'), 300);
    await writing;
    expect(bodiesOf(await fixture.queue('q').peekMany())).toEqual(['1', '2']);
  });
});
