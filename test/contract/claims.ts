import type { QueueFixture } from './queue-fixture.js';
import { eventually } from '../support/eventually.js';

export function describeClaims(fixture: QueueFixture): void {
  describe('claim', () => {
    it('brings what waits, at most the limit', async () => {
      const ids = [];
      for (let n = 0; n < 5; n++) ids.push(await fixture.queue.produce(n));
      const source = fixture.source();
      const first = await fixture.claim(source, 3);
      expect(first.length).toBeLessThanOrEqual(3);
      const rest = await fixture.claimAll(5 - first.length, source);
      const claimed = [...first, ...rest].map(({ message }) => message.id);
      expect(claimed.sort()).toEqual(ids.sort());
    });

    it('tells what the message is', async () => {
      const id = await fixture.queue.produce({ to: 'someone' });
      const { message, unreadable, leaseMs } = await fixture.claimOne();
      expect(message).toMatchObject({ id, payload: { to: 'someone' }, attempt: 1 });
      expect(message.queue).toBe(fixture.queue.name);
      expect(Number.isSafeInteger(message.enqueuedAt)).toBe(true);
      expect([unreadable, leaseMs]).toEqual([null, 30_000]);
    });

    fixture.itIf('order by arrival')('brings messages in the order of arrival', async () => {
      for (let n = 0; n < 12; n++) await fixture.queue.produce(n);
      const claimed = await fixture.claimAll(12);
      expect(claimed.map(({ message }) => message.payload)).toEqual([...Array(12).keys()]);
    });

    it('waits for a message and wakes when one comes', async () => {
      const claiming = fixture.claimOne();
      const id = await fixture.queue.produce('late');
      expect((await claiming).message.id).toBe(id);
    });

    it('wakes every source that waits when there is work for all', async () => {
      const claiming = Array.from({ length: 4 }, () => fixture.claimOne());
      for (let n = 0; n < 4; n++) await fixture.queue.produce(n);
      const claimed = await Promise.all(claiming);
      expect(claimed.map(({ message }) => message.payload).sort()).toEqual([0, 1, 2, 3]);
    });

    it('answers nothing once its signal aborts, and leaves later messages alone', async () => {
      const stop = new AbortController();
      const claiming = fixture.source().claim({ limit: 5, signal: stop.signal });
      stop.abort();
      expect(await claiming).toEqual([]);
      const id = await fixture.queue.produce('later');
      expect(await fixture.queue.stateOf(id)).toBe('waiting');
    });

    it('answers nothing to a signal that had aborted before', async () => {
      const id = await fixture.queue.produce('there');
      const signal = AbortSignal.abort();
      expect(await fixture.source().claim({ limit: 1, signal })).toEqual([]);
      expect(await fixture.queue.stateOf(id)).toBe('waiting');
    });

    it('loses no message to an abort in the same moment', async () => {
      const source = fixture.source();
      for (let round = 0; round < 20; round++) {
        const stop = new AbortController();
        const claiming = source.claim({ limit: 1, signal: stop.signal });
        const producing = fixture.queue.produce(round);
        if (round % 2 === 0) await new Promise((resolve) => setImmediate(resolve));
        stop.abort();
        await producing;
        const [early] = await claiming;
        await (early ?? (await fixture.claimOne(source))).ack();
      }
    });

    it('may overlap with other claims of the source: each message goes to one of them', async () => {
      const source = fixture.source();
      const claiming = [1, 2, 3].map((limit) => fixture.claim(source, limit));
      for (let n = 0; n < 6; n++) await fixture.queue.produce(n);
      const rounds = await Promise.all(claiming);
      rounds.forEach((round, at) => expect(round.length).toBeLessThanOrEqual(at + 1));
      const held = rounds.flat();
      const rest = await fixture.claimAll(6 - held.length, source);
      const payloads = [...held, ...rest].map(({ message }) => message.payload);
      expect(payloads.sort()).toEqual([0, 1, 2, 3, 4, 5]);
    });

    it('gives each of 1,000 messages to exactly one of 8 sources', async () => {
      const producing = Array.from({ length: 1_000 }, (_, n) => fixture.queue.produce(n));
      const ids = await Promise.all(producing);
      const seen: string[] = [];
      const stop = new AbortController();
      const consume = async (limit: number): Promise<void> => {
        const source = fixture.source();
        while (!stop.signal.aborted)
          for (const delivery of await source.claim({ limit, signal: stop.signal })) {
            seen.push(delivery.message.id);
            await delivery.ack();
            if (seen.length >= 1_000) stop.abort();
          }
      };
      await Promise.all([1, 2, 3, 5, 8, 13, 21, 34].map(consume));
      expect(seen.sort()).toEqual(ids.sort());
    });

    fixture.itIf('delay')('brings a delayed message when it is due and not before', async () => {
      const id = await fixture.queue.produce('later', { delayMs: 3_600_000 });
      await fixture.queue.produce('now');
      expect((await fixture.claimOne()).message.payload).toBe('now');
      expect(await fixture.queue.stateOf(id)).toBe('delayed');
      await fixture.queue.expireDelays();
      expect((await fixture.claimOne()).message.id).toBe(id);
    });

    fixture.itIf('delay')('wakes by itself when a delay is over', async () => {
      const claiming = fixture.claimOne();
      const producedAt = performance.now();
      const id = await fixture.queue.produce('soon', { delayMs: 150 });
      expect((await claiming).message.id).toBe(id);
      // a millisecond less, since clocks round
      expect(performance.now() - producedAt).toBeGreaterThanOrEqual(149);
    });
  });

  describe('close', () => {
    it('ends a claim that waits, takes nothing after it, and may be called again', async () => {
      const stop = new AbortController();
      const source = fixture.source();
      const claiming = source.claim({ limit: 1, signal: stop.signal });
      stop.abort();
      await claiming;
      await source.close();
      await source.close();
      const id = await fixture.queue.produce('for others');
      await eventually(async () => (await fixture.queue.stateOf(id)) === 'waiting');
    });

    it('leaves other sources of the queue alone', async () => {
      const claiming = fixture.claimOne();
      await fixture.source().close();
      const id = await fixture.queue.produce('x');
      expect((await claiming).message.id).toBe(id);
    });

    it('sends what is still to be settled', async () => {
      const id = await fixture.queue.produce('x');
      const source = fixture.source();
      const delivery = await fixture.claimOne(source);
      const acking = delivery.ack();
      await source.close();
      await acking;
      expect([null, 'done']).toContain(await fixture.queue.stateOf(id));
    });
  });
}
