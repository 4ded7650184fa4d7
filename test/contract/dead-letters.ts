import type { QueueFixture } from './queue-fixture.js';

export function describeDeadLetters(fixture: QueueFixture): void {
  const bury = async (payload: unknown, reason = 'no luck'): Promise<string> => {
    const id = await fixture.queue.produce(payload);
    const delivery = await fixture.claimOne();
    await delivery.nack({ error: new Error(reason), retryInMs: null });
    return id;
  };

  describe('dead letters', () => {
    it('hold a message that is given up, with the reason', async () => {
      const id = await bury({ n: 1 }, 'the address is gone');
      expect(await fixture.queue.stateOf(id)).toBe('dead');
      expect(await fixture.queue.deadLetters.count()).toBe(1);
      const [letter] = await fixture.queue.deadLetters.list();
      expect(letter).toMatchObject({ id, payload: { n: 1 }, attempts: 1 });
      expect(letter.reason).toContain('the address is gone');
      expect(Number.isSafeInteger(letter.deadAt)).toBe(true);
    });

    it('are listed newest first, by pages', async () => {
      const ids = [];
      for (let n = 0; n < 5; n++) ids.push(await bury(n));
      const { deadLetters } = fixture.queue;
      const [all, page, none] = [
        await deadLetters.list(),
        await deadLetters.list({ limit: 2, offset: 1 }),
        await deadLetters.list({ offset: 5 }),
      ];
      expect(all.map(({ id }) => id).sort()).toEqual(ids.sort());
      expect(all.map(({ deadAt }) => deadAt)).toEqual(
        all
          .map(({ deadAt }) => deadAt)
          .sort()
          .reverse(),
      );
      expect(page).toEqual(all.slice(1, 3));
      expect(none).toEqual([]);
    });

    it.each([0, 501, 1.5, NaN])('refuse a page of %p', async (limit) => {
      const listing = (async () => fixture.queue.deadLetters.list({ limit }))();
      await expect(listing).rejects.toMatchObject({ code: 'INVALID_OPTION' });
    });

    it('can be redriven, once', async () => {
      const id = await bury('again');
      expect(await fixture.queue.deadLetters.redrive(id)).toBe(true);
      expect(await fixture.queue.deadLetters.redrive(id)).toBe(false);
      expect(await fixture.queue.deadLetters.count()).toBe(0);
      const delivery = await fixture.claimOne();
      expect(delivery.message).toMatchObject({ id, payload: 'again' });
      await delivery.ack();
    });

    it('wake a claim that waits when they are redriven', async () => {
      const id = await bury('again');
      const claiming = fixture.claimOne();
      await fixture.queue.deadLetters.redrive(id);
      expect((await claiming).message.id).toBe(id);
    });

    it('can be dropped, once', async () => {
      const id = await bury('never');
      expect(await fixture.queue.deadLetters.drop(id)).toBe(true);
      expect(await fixture.queue.deadLetters.drop(id)).toBe(false);
      expect(await fixture.queue.deadLetters.count()).toBe(0);
      expect(await fixture.queue.stateOf(id)).toBe(null);
    });

    it('do not answer for ids of messages that are not dead', async () => {
      const id = await fixture.queue.produce('alive');
      for (const one of [id, '0000000000000000009']) {
        expect(await fixture.queue.deadLetters.redrive(one)).toBe(false);
        expect(await fixture.queue.deadLetters.drop(one)).toBe(false);
      }
      expect(await fixture.queue.stateOf(id)).toBe('waiting');
    });
  });
}
