import { jest } from '@jest/globals';
import { CancelledError, LeaseLostError, NotConnectedError } from '../../../lib/errors/index.js';
import { FailureLog, LeaseKeeper, type Held } from '../../../lib/worker/index.js';
import { RecordingLogger } from '../../contract/logs.js';
import { FakeDelivery } from './scripted-source.js';

const LEASE_MS = 30_000;

class Holder implements Held {
  readonly reasons: Error[] = [];
  constructor(readonly delivery = new FakeDelivery({ leaseMs: LEASE_MS })) {}
  revoke(reason: Error): void {
    this.reasons.push(reason);
  }
}

describe('the lease keeper', () => {
  const down = () => new NotConnectedError('down');
  let logger: RecordingLogger;
  let keeper: LeaseKeeper;

  beforeEach(() => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate'] });
    logger = new RecordingLogger();
    const words = { failing: 'cannot extend', again: 'extends again' };
    keeper = new LeaseKeeper(new FailureLog(words, logger));
  });

  afterEach(() => {
    keeper.stop();
    jest.useRealTimers();
  });

  const held = (delivery?: FakeDelivery): Holder => {
    const holder = new Holder(delivery);
    keeper.hold(holder);
    return holder;
  };

  it('extends by a third of the lease, again and again', async () => {
    const { delivery } = held();
    await jest.advanceTimersByTimeAsync(LEASE_MS / 3);
    expect(delivery.verbs).toEqual(['extend']);
    await jest.advanceTimersByTimeAsync(LEASE_MS * 2);
    expect(delivery.verbs.length).toBeGreaterThanOrEqual(7);
    expect(delivery.verbs.length).toBeLessThanOrEqual(10);
  });

  it('extends what is due in one tick', async () => {
    const holders = Array.from({ length: 20 }, () => held());
    const seen = new Set<number>();
    for (const { delivery } of holders)
      delivery.extend = () => Promise.resolve(void seen.add(performance.now()));
    await jest.advanceTimersByTimeAsync(LEASE_MS / 3);
    expect(seen.size).toBe(1);
  });

  it('leaves alone what was dropped', async () => {
    const holder = held();
    keeper.drop(holder);
    await jest.advanceTimersByTimeAsync(LEASE_MS * 2);
    expect([holder.delivery.verbs, holder.reasons]).toEqual([[], []]);
  });

  it.each([new LeaseLostError('gone'), new CancelledError('not wanted')])(
    'revokes at once on %p',
    async (reason) => {
      const holder = held();
      holder.delivery.failures.push(reason);
      await jest.advanceTimersByTimeAsync(LEASE_MS * 2);
      expect(holder.reasons).toEqual([reason]);
      expect(holder.delivery.verbs).toEqual(['extend']);
    },
  );

  it('tries sooner after a failure and goes on when it works again', async () => {
    const holder = held();
    holder.delivery.failures.push(down(), down());
    await jest.advanceTimersByTimeAsync(LEASE_MS / 3 + (2 * LEASE_MS) / 10);
    expect(holder.delivery.verbs).toHaveLength(3);
    await jest.advanceTimersByTimeAsync(LEASE_MS);
    expect(holder.reasons).toEqual([]);
    expect(logger.lines.map(({ text }) => text)).toEqual([
      'cannot extend, trying on: down',
      'extends again',
    ]);
  });

  it('revokes when the lease is certainly over, and not before', async () => {
    const holder = held();
    holder.delivery.failures.push(...Array.from({ length: 100 }, down));
    await jest.advanceTimersByTimeAsync(LEASE_MS - 1);
    expect(holder.reasons).toEqual([]);
    await jest.advanceTimersByTimeAsync(LEASE_MS / 10 + 1);
    expect(holder.reasons).toEqual([expect.any(LeaseLostError)]);
    expect(logger.lines).toHaveLength(1);
  });

  it('revokes when an extension is never answered', async () => {
    const holder = held();
    holder.delivery.extend = () => new Promise(() => undefined);
    await jest.advanceTimersByTimeAsync(LEASE_MS * 1.2);
    expect(holder.reasons).toEqual([expect.any(LeaseLostError)]);
  });

  it('asks before it gives up a lease that a stalled process let pass', async () => {
    const holder = held();
    jest.setSystemTime(Date.now());
    const realNow = performance.now.bind(performance);
    const spy = jest.spyOn(performance, 'now').mockImplementation(() => realNow() + LEASE_MS * 5);
    await jest.advanceTimersByTimeAsync(LEASE_MS / 10);
    spy.mockRestore();
    expect([holder.delivery.verbs, holder.reasons]).toEqual([['extend'], []]);
  });

  it('does not judge a message that was settled while its extension travelled', async () => {
    const holder = held();
    let lose!: (reason: Error) => void;
    holder.delivery.extend = () => new Promise((_, reject) => (lose = reject));
    await jest.advanceTimersByTimeAsync(LEASE_MS / 3);
    keeper.drop(holder);
    lose(new LeaseLostError('settled'));
    await jest.advanceTimersByTimeAsync(0);
    expect(holder.reasons).toEqual([]);
  });

  it('keeps short leases beside long ones', async () => {
    const long = held();
    const short = held(new FakeDelivery({ leaseMs: 300 }));
    await jest.advanceTimersByTimeAsync(1_000);
    expect(short.delivery.verbs.length).toBeGreaterThanOrEqual(9);
    expect(long.delivery.verbs).toEqual([]);
    await jest.advanceTimersByTimeAsync(LEASE_MS / 3);
    expect(long.delivery.verbs).toEqual(['extend']);
  });

  it('keeps leases that are longer than a timer can be', async () => {
    const holder = held(new FakeDelivery({ leaseMs: 2 ** 40 }));
    await jest.advanceTimersByTimeAsync(60_000);
    expect(holder.delivery.verbs).toEqual([]);
  });
});
