import { CancelledError, LeaseLostError } from '../../lib/errors/index.js';
import type { QueueFixture } from './queue-fixture.js';
import { pause } from './waiting.js';

export function describeLeases(fixture: QueueFixture): void {
  describe('lease', () => {
    it('keeps the message from everyone else', async () => {
      await fixture.queue.produce('one');
      const holder = await fixture.claimOne();
      const claiming = fixture.claimOne();
      const id = await fixture.queue.produce('two');
      expect((await claiming).message.id).toBe(id);
      await holder.ack();
    });

    it('that runs out brings the message back, and the attempt counts', async () => {
      const id = await fixture.queue.produce('crash');
      await fixture.claimOne();
      await fixture.queue.expireLeases();
      expect((await fixture.claimOne()).message).toMatchObject({ id, attempt: 2 });
    });

    it('can be extended as often as wanted', async () => {
      const id = await fixture.queue.produce('x');
      const delivery = await fixture.claimOne(fixture.source({ leaseMs: 2_000 }));
      for (let n = 0; n < 5; n++) {
        await pause(500);
        await delivery.extend();
      }
      expect(await fixture.queue.stateOf(id)).toBe('running');
      await delivery.ack();
    });

    it('cannot be extended after it was lost', async () => {
      const id = await fixture.queue.produce('x');
      const delivery = await fixture.claimOne();
      await fixture.queue.expireLeases();
      await expect(delivery.extend()).rejects.toBeInstanceOf(LeaseLostError);
      expect(await fixture.queue.stateOf(id)).toBe('waiting');
    });

    it('cannot be extended after the message was settled', async () => {
      const delivery = await produceAndClaim();
      await delivery.ack();
      await expect(delivery.extend()).rejects.toBeInstanceOf(LeaseLostError);
    });

    it('loss is told to the holder at its next extension, and to who listens later', async () => {
      const delivery = await produceAndClaim();
      const reasons: Error[] = [];
      delivery.onRevoked((reason) => reasons.push(reason));
      await fixture.queue.expireLeases();
      await delivery.extend().catch(() => undefined);
      delivery.onRevoked((reason) => reasons.push(reason));
      expect(reasons).toHaveLength(2);
      for (const reason of reasons) expect(reason).toBeInstanceOf(LeaseLostError);
    });
  });

  describe('fence', () => {
    it('grows with every claim of a message', async () => {
      await fixture.queue.produce('x');
      const fences: number[] = [];
      for (let n = 0; n < 5; n++) {
        const delivery = await fixture.claimOne();
        fences.push(delivery.fence);
        await delivery.release();
      }
      expectToGrow(fences);
    });

    it('grows over the messages of a queue', async () => {
      for (let n = 0; n < 5; n++) await fixture.queue.produce(n);
      const source = fixture.source();
      const fences: number[] = [];
      for (let n = 0; n < 5; n++) fences.push((await fixture.claimOne(source)).fence);
      expectToGrow(fences);
    });
  });

  describe('cancel', () => {
    fixture.itIf('cancel')('tells the holder, and nothing it writes counts', async () => {
      const delivery = await produceAndClaim();
      const { id } = delivery.message;
      const reasons: Error[] = [];
      delivery.onRevoked((reason) => reasons.push(reason));
      expect(await fixture.queue.cancel(id)).toBe(true);
      await delivery.extend().catch(() => undefined);
      expect(reasons).toHaveLength(1);
      expect(reasons[0]).toBeInstanceOf(CancelledError);
      await expect(delivery.ack()).rejects.toMatchObject({ code: 'LEASE_LOST' });
      expect(await fixture.queue.stateOf(id)).toBe('cancelled');
    });

    fixture.itIf('cancel')('of a message that waits keeps it from being claimed', async () => {
      const id = await fixture.queue.produce('unwanted');
      expect(await fixture.queue.cancel(id)).toBe(true);
      const wanted = await fixture.queue.produce('wanted');
      expect((await fixture.claimOne()).message.id).toBe(wanted);
      expect(await fixture.queue.stateOf(id)).toBe('cancelled');
    });
  });

  const produceAndClaim = async () => {
    await fixture.queue.produce('x');
    return fixture.claimOne();
  };
}

function expectToGrow(numbers: readonly number[]): void {
  const sorted = [...new Set(numbers)].sort((a, b) => a - b);
  expect(numbers).toEqual(sorted);
  for (const number of numbers) expect(Number.isSafeInteger(number)).toBe(true);
}
