import { jest } from '@jest/globals';
import { NotConnectedError } from '../../../lib/errors/index.js';
import { endLoops, startLoop, turn } from './loop-fixture.js';
import { FakeDelivery } from './scripted-source.js';

describe('a claim that fails', () => {
  const down = () => Promise.reject(new NotConnectedError('nobody listens'));

  beforeEach(() => jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate'] }));
  afterEach(async () => {
    jest.useRealTimers();
    await endLoops();
  });

  it('is logged once and tried again with growing pauses', async () => {
    const { source, logger, loop } = startLoop(() => undefined);
    source.answer = down;
    source.fail(new NotConnectedError('nobody listens'));
    await jest.advanceTimersByTimeAsync(60_000);
    expect(source.limits.length).toBeGreaterThan(10);
    expect(source.limits.length).toBeLessThan(40);
    expect(logger.lines).toHaveLength(1);
    expect(logger.of('error')[0]).toContain('nobody listens');
    expect(loop.health().lastError).toContain('nobody listens');
  });

  it('costs no more with many slots: one probe a pause, for all free tickets', async () => {
    const deliveries = Array.from({ length: 50 }, () => new FakeDelivery());
    const { source, logger } = startLoop(() => undefined, { concurrency: 100 });
    source.bring(...deliveries);
    await turn();
    const before = source.limits.length;
    expect(before).toBeGreaterThan(1);
    source.answer = down;
    source.fail(new NotConnectedError('gone'));
    await jest.advanceTimersByTimeAsync(60_000);
    expect(source.limits.slice(before).every((limit) => limit === 100)).toBe(true);
    expect(source.limits.length - before).toBeLessThan(40);
    expect(logger.lines).toHaveLength(1);
  });

  it('is over by itself, which is logged once', async () => {
    const { source, logger, loop } = startLoop(() => undefined);
    source.answer = down;
    source.fail(new NotConnectedError('gone'));
    await jest.advanceTimersByTimeAsync(20_000);
    const delivery = new FakeDelivery();
    const found = [delivery];
    source.answer = () =>
      found.length > 0 ? Promise.resolve(found.splice(0)) : new Promise(() => undefined);
    await jest.advanceTimersByTimeAsync(5_000);
    await turn();
    expect(delivery.verbs).toEqual(['ack']);
    expect(logger.of('log')).toEqual(['test: claims again']);
    expect(loop.health().lastError).toBe(null);
    source.answer = () => Promise.resolve([]);
  });

  it('does not flood the log when it comes and goes', async () => {
    const { source, logger } = startLoop(() => undefined);
    let calls = 0;
    source.answer = () => (++calls % 2 === 0 ? Promise.resolve([new FakeDelivery()]) : down());
    source.bring();
    await turn();
    for (let step = 0; step < 200; step++) {
      await jest.advanceTimersByTimeAsync(100);
      await turn();
    }
    expect(calls).toBeGreaterThan(100);
    expect(logger.lines.length).toBeLessThanOrEqual(10);
    source.answer = null;
  });

  it('that throws at once is no different', async () => {
    const { source, logger } = startLoop(() => undefined);
    source.answer = () => {
      throw new Error('broken source');
    };
    source.bring();
    await jest.advanceTimersByTimeAsync(1_000);
    await turn();
    expect(logger.of('error')).toHaveLength(1);
  });

  it('is silent once the loop stops', async () => {
    const { source, logger, loop } = startLoop(() => undefined);
    const stopping = loop.stop();
    source.fail(new Error('closed under our feet'));
    await stopping;
    expect(logger.lines).toEqual([]);
  });
});
