import { LeaseLostError } from '../../lib/errors/index.js';
import type { QueueFixture } from './queue-fixture.js';

export function describeSettles(fixture: QueueFixture): void {
  const claimNew = async () => {
    const id = await fixture.queue.produce('x');
    return { id, delivery: await fixture.claimOne() };
  };
  const stateOf = (id: string) => fixture.queue.stateOf(id);

  describe('ack', () => {
    it('ends the message', async () => {
      const { id, delivery } = await claimNew();
      expect(await stateOf(id)).toBe('running');
      await delivery.ack({ sent: 1 });
      expect([null, 'done']).toContain(await stateOf(id));
      await fixture.queue.expireLeases();
      expect([null, 'done']).toContain(await stateOf(id));
    });

    it('may be repeated: its reply may have been lost', async () => {
      const { id, delivery } = await claimNew();
      await delivery.ack();
      await delivery.ack();
      expect([null, 'done']).toContain(await stateOf(id));
    });

    it('after the lease was lost is refused and changes nothing', async () => {
      const { id, delivery } = await claimNew();
      await fixture.queue.expireLeases();
      await expect(delivery.ack()).rejects.toBeInstanceOf(LeaseLostError);
      expect(await stateOf(id)).toBe('waiting');
    });

    it('by a late holder does not touch the run of the next holder', async () => {
      const { id, delivery } = await claimNew();
      await fixture.queue.expireLeases();
      const next = await fixture.claimOne();
      expect(next.message.id).toBe(id);
      await expect(delivery.ack()).rejects.toBeInstanceOf(LeaseLostError);
      expect(await stateOf(id)).toBe('running');
      await next.ack();
    });

    fixture.itIf('results')(
      'refuses a result that cannot be stored, and the message is still held',
      async () => {
        const { id, delivery } = await claimNew();
        await expect(delivery.ack(1n)).rejects.toMatchObject({ code: 'INVALID_PAYLOAD' });
        expect(await stateOf(id)).toBe('running');
        await delivery.ack();
      },
    );

    fixture.itUnless('results')('takes whatever a handler returned', async () => {
      const circular: { self?: unknown } = {};
      circular.self = circular;
      for (const result of [1n, circular]) {
        const { id, delivery } = await claimNew();
        await delivery.ack(result);
        expect([null, 'done']).toContain(await stateOf(id));
      }
    });
  });

  describe('nack', () => {
    const error = new Error('no luck');

    it('with a delay brings the message back when the delay is over', async () => {
      const { id, delivery } = await claimNew();
      await delivery.nack({ error, retryInMs: 3_600_000 });
      expect(await stateOf(id)).toBe('delayed');
      await fixture.queue.expireDelays();
      const again = await fixture.claimOne();
      expect(again.message).toMatchObject({ id, attempt: 2 });
    });

    it('wakes a claim that waits, by itself', async () => {
      const { id, delivery } = await claimNew();
      const claiming = fixture.claimOne();
      await delivery.nack({ error, retryInMs: 20 });
      expect((await claiming).message).toMatchObject({ id, attempt: 2 });
    });

    it('after the lease was lost is refused and changes nothing', async () => {
      const { id, delivery } = await claimNew();
      await fixture.queue.expireLeases();
      const nacking = delivery.nack({ error, retryInMs: null });
      await expect(nacking).rejects.toBeInstanceOf(LeaseLostError);
      expect(await stateOf(id)).toBe('waiting');
    });

    it('is refused once the message is settled', async () => {
      const { delivery } = await claimNew();
      await delivery.ack();
      const nacking = delivery.nack({ error, retryInMs: 1 });
      await expect(nacking).rejects.toBeInstanceOf(LeaseLostError);
    });
  });

  describe('release', () => {
    it('gives the message back without spending the attempt', async () => {
      const { id, delivery } = await claimNew();
      await delivery.release();
      const again = await fixture.claimOne();
      expect(again.message).toMatchObject({ id, attempt: 1 });
    });

    it('may postpone the message', async () => {
      const { id, delivery } = await claimNew();
      await delivery.release({ delayMs: 3_600_000 });
      expect(await stateOf(id)).toBe('delayed');
      await fixture.queue.expireDelays();
      expect((await fixture.claimOne()).message).toMatchObject({ id, attempt: 1 });
    });

    it('wakes a claim that waits', async () => {
      const { id, delivery } = await claimNew();
      const claiming = fixture.claimOne();
      await delivery.release();
      expect((await claiming).message.id).toBe(id);
    });

    it('after the lease was lost is refused', async () => {
      const { delivery } = await claimNew();
      await fixture.queue.expireLeases();
      await expect(delivery.release()).rejects.toBeInstanceOf(LeaseLostError);
    });
  });

  it('settles of many messages in one tick do not disturb each other', async () => {
    for (let n = 0; n < 6; n++) await fixture.queue.produce(n);
    const source = fixture.source();
    const held = await fixture.claimAll(6, source);
    await held[0].ack();
    await fixture.queue.expireLeases();
    const again = await fixture.claimAll(5, source);
    const late = held[1].ack().catch((reason: unknown) => reason);
    await Promise.all(again.map((delivery) => delivery.ack()));
    expect(await late).toBeInstanceOf(LeaseLostError);
  });
}
