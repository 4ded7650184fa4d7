import type { BrokerQueue } from '../../../lib/broker/index.js';
import { collect, idsOf, refusal, useBroker } from './broker-fixture.js';

const fixture = useBroker('broker-races');
const ROUNDS = 40;
const rounds = Array.from({ length: ROUNDS }, (_, n) => n);
const atLeastOnce = { guarantee: 'at-least-once' } as const;

/** Handles of one queue over brokers of their own, so that their calls meet in the server only. */
const handles = (name: string, count: number): BrokerQueue[] =>
  Array.from({ length: count }, () => fixture.another().queue(name));

/** Runs two things that meet, in either order. */
async function meet(
  round: number,
  one: () => Promise<unknown>,
  other: () => Promise<unknown>,
): Promise<PromiseSettledResult<unknown>[]> {
  const [first, second] = round % 2 === 0 ? [one, other] : [other, one];
  const results = await Promise.allSettled([first(), second()]);
  return round % 2 === 0 ? results : results.reverse();
}

describe('what meets in the server', () => {
  it('a recovery and a new batch: the new one keeps its messages', async () => {
    const [late, next] = handles('q', 2);
    await fixture.insert('q', 1, 2, 3);
    for (const round of rounds) {
      const abandoned = late.readAll(atLeastOnce);
      await abandoned.next();
      await fixture.age(300_000);
      await fixture.broker.recoverStale();
      const reading = next.readAll(atLeastOnce);
      await meet(
        round,
        () => reading.next(),
        () => fixture.broker.recoverStale({ olderThanMs: 300_000 }),
      );
      expect(await fixture.queue('q').stats()).toMatchObject({ reserved: 3 });
      await abandoned.return();
      expect(await fixture.queue('q').stats()).toMatchObject({ reserved: 3 });
      await reading.return();
    }
  });

  it('two recoveries: each message is given back once', async () => {
    const [owner, one, other] = [fixture.another(), fixture.another(), fixture.another()];
    await fixture.insert('q', 1, 2, 3);
    for (const round of rounds) {
      await owner.queue('q').readAll(atLeastOnce).next();
      const results = await meet(
        round,
        () => one.recoverStale({ olderThanMs: 0 }),
        () => other.recoverStale({ olderThanMs: 0 }),
      );
      const counts = results.map((result) => (result as PromiseFulfilledResult<number>).value);
      expect(counts[0] + counts[1]).toBe(3);
    }
  });

  it('a delete and a starting batch: the queue is gone, or the delete is refused', async () => {
    const [deleting, reading] = handles('q', 2);
    for (const round of rounds) {
      await fixture.broker.broadcast('x', { queues: ['q'], createMissing: true });
      const batch = reading.readAll(atLeastOnce);
      const [deleted, began] = await meet(
        round,
        () => deleting.deleteAll(),
        () => batch.next(),
      );
      const hasBatch = (began as { value: IteratorResult<unknown> }).value.done !== true;
      expect(deleted.status).toBe(hasBatch ? 'rejected' : 'fulfilled');
      expect((await fixture.queue('q').stats()).pending).toBe(hasBatch ? 1 : 0);
      await batch.return();
      await deleting.deleteAll();
    }
  });

  it('an alias a->b and an alias b->a: one of them is refused', async () => {
    const [one, other] = [fixture.another(), fixture.another()];
    for (const round of rounds) {
      const results = await meet(
        round,
        () => one.aliases.add('a', 'b'),
        () => other.aliases.add('b', 'a'),
      );
      expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
      const [{ alias }] = await fixture.broker.aliases.list();
      await fixture.broker.aliases.remove(alias);
    }
  });

  it('a broadcast with deletes and creations: all that exist at one moment, none revived', async () => {
    const queues = Array.from({ length: 30 }, (_, n) => `q${n}`);
    const [sender, changer] = [fixture.another(), fixture.another()];
    for (const round of rounds.slice(0, 20)) {
      await sender.broadcast('base', { queues, createMissing: true });
      const doomed = queues.filter((_, n) => n % 3 === round % 3);
      const [sent] = await meet(
        round,
        () => sender.broadcast('news'),
        async () => {
          await changer.deleteQueues(doomed);
          await changer.write('late', 'x');
        },
      );
      const count = (sent as PromiseFulfilledResult<number>).value;
      const all = await fixture.broker.listQueues();
      const found = await Promise.all(
        all.map(({ queue }) => fixture.queue(queue).peekMany({ order: 'newest', limit: 1 })),
      );
      const reached = found.filter(([message]) => message?.body === 'news').length;
      // either before the deletes (and then those copies went with their queues) or after them
      expect([reached, reached + doomed.length]).toContain(count);
      expect(all.filter(({ queue }) => doomed.includes(queue))).toEqual([]);
      await fixture.broker.deleteAllQueues();
    }
  });

  it('many readers: each message goes to one of them', async () => {
    const ids = await fixture.queue('q').writeMany(Array.from({ length: 600 }, (_, n) => `${n}`));
    const readers = handles('q', 6);
    const parts = await Promise.all([
      collect(readers[0].readAll()),
      collect(readers[1].readAll(atLeastOnce)),
      collect(readers[2].readAll({ ...atLeastOnce, batchSize: 7 })),
      collect(readers[3].moveAll('r')),
      collect(readers[4].moveAll('r', { ...atLeastOnce, batchSize: 11 })),
      collect(readers[5].readAll({ after: ids[99] })),
    ]);
    const seen = parts.flat().map(({ id }) => id);
    expect(seen.sort()).toEqual([...ids].sort());
  });

  it('a moved alias: every message ends in one of its targets', async () => {
    await fixture.broker.aliases.add('in', 'a');
    const writing = Promise.all(
      Array.from({ length: 50 }, (_, n) =>
        fixture
          .another()
          .write('@in', `${n}`)
          .catch(() => null),
      ),
    );
    const switching = (async () => {
      await fixture.broker.aliases.remove('in');
      await fixture.broker.aliases.add('in', 'b');
    })();
    const [ids] = await Promise.all([writing, switching]);
    const found = await Promise.all(['a', 'b'].map((name) => fixture.queue(name).peekMany()));
    expect(found.flatMap(idsOf).sort()).toEqual(ids.filter((id) => id !== null).sort());
  });

  it('keepNewest and a batch: never a reserved message displaced', async () => {
    const [keeping, reading] = handles('q', 2);
    for (const round of rounds) {
      await fixture.queue('q').writeMany(['1', '2', '3']);
      const batch = reading.readAll({ ...atLeastOnce, batchSize: 1 });
      const [kept] = await meet(
        round,
        () => keeping.write('4', { keepNewest: 1 }),
        () => batch.next(),
      );
      const stats = await fixture.queue('q').stats();
      if (kept.status === 'rejected') {
        expect(await refusal(() => Promise.reject(kept.reason as Error))).toMatchObject({
          code: 'RESERVED',
        });
        expect(stats).toMatchObject({ pending: 3, reserved: 1 });
      } else {
        expect(stats).toMatchObject({ pending: 1, reserved: 1 });
      }
      await batch.return();
      await fixture.queue('q').deleteAll();
    }
  });
});
