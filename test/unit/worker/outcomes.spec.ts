import type { Rejection } from '../../../lib/contract/index.js';
import { RetryLaterError, UnrecoverableError } from '../../../lib/errors/index.js';
import { RunTimeoutError } from '../../../lib/errors/index.js';
import { eventually } from '../../support/eventually.js';
import { endLoops, startLoop } from './loop-fixture.js';
import { FakeDelivery, type FakeShape } from './scripted-source.js';

const retry = { attempts: 3, backoff: { type: 'fixed', delayMs: 500 } } as const;

/** Runs one delivery through a handler and waits until it is settled. */
async function settledBy(handler: () => unknown, shape: FakeShape = {}) {
  const { source, logger } = startLoop(handler, { retry });
  const delivery = new FakeDelivery(shape);
  source.bring(delivery);
  await eventually(() => delivery.calls.length > 0);
  return { call: delivery.calls[0], delivery, logger };
}

async function nackedBy(thrown: unknown, shape: FakeShape = {}): Promise<Rejection> {
  const { call } = await settledBy(() => {
    throw thrown;
  }, shape);
  expect(call.verb).toBe('nack');
  return call.with as Rejection;
}

describe('the outcome of a run', () => {
  afterEach(endLoops);

  it.each([
    ['a value', () => ({ sent: 1 }), { sent: 1 }],
    ['a promise', async () => Promise.resolve('done'), 'done'],
    ['nothing', () => undefined, undefined],
  ])('that returns %s is an ack with it', async (_, handler, result) => {
    const { call } = await settledBy(handler);
    expect(call).toEqual({ verb: 'ack', with: result });
  });

  it('that throws is a nack with the pause of the retry policy', async () => {
    const error = new Error('no luck');
    expect(await nackedBy(error)).toEqual({ error, retryInMs: 500 });
  });

  it('that rejects is the same', async () => {
    const { call } = await settledBy(() => Promise.reject(new Error('later')));
    expect(call.with).toMatchObject({ retryInMs: 500 });
  });

  it('that fails in the last attempt goes to the dead letters, with one line', async () => {
    const fail = () => {
      throw new Error('no luck');
    };
    const { call, logger } = await settledBy(fail, { attempt: 3 });
    expect(call.with).toMatchObject({ retryInMs: null });
    await eventually(() => logger.of('error').length > 0);
    expect(logger.of('error')).toEqual([expect.stringContaining('dead letters: no luck')]);
  });

  it("heeds the producer's limit before its own", async () => {
    expect((await nackedBy(new Error('x'), { maxAttempts: 1 })).retryInMs).toBe(null);
    expect((await nackedBy(new Error('x'), { attempt: 9, maxAttempts: 10 })).retryInMs).toBe(500);
  });

  it('UnrecoverableError goes to the dead letters at once', async () => {
    expect((await nackedBy(new UnrecoverableError('gone'))).retryInMs).toBe(null);
  });

  it('RetryLaterError postpones', async () => {
    const { call } = await settledBy(() => Promise.reject(new RetryLaterError(1_234)));
    expect(call).toEqual({ verb: 'release', with: { delayMs: 1_234 } });
  });

  it('knows both by their code, whichever copy of the library made them', async () => {
    const foreign = (code: string) => Object.assign(new Error('foreign'), { code });
    expect((await nackedBy(foreign('UNRECOVERABLE'))).retryInMs).toBe(null);
    const later = Object.assign(foreign('RETRY_LATER'), { delayMs: 50 });
    const { call } = await settledBy(() => Promise.reject(later));
    expect(call).toEqual({ verb: 'release', with: { delayMs: 50 } });
    const nonsense = Object.assign(foreign('RETRY_LATER'), { delayMs: 'soon' });
    expect((await nackedBy(nonsense)).retryInMs).toBe(500);
  });

  it.each([
    ['undefined', undefined],
    ['null', null],
    ['a text', 'just text'],
    ['a symbol', Symbol('x')],
    ['an object', { a: 1 }],
    ['a frozen error', Object.freeze(new Error('frozen'))],
    ['5 MB of text', 'x'.repeat(5_000_000)],
    ['an error of 5 MB', new Error('x'.repeat(5_000_000))],
  ])('that throws %s has a readable, bounded reason', async (_, thrown) => {
    const { error, retryInMs } = await nackedBy(thrown);
    expect(error).toBeInstanceOf(Error);
    expect(error.message.length).toBeGreaterThan(0);
    expect(error.message.length).toBeLessThanOrEqual(2_000);
    expect(retryInMs).toBe(500);
  });

  it('of an unreadable message is a dead letter, its handler unseen', async () => {
    let runs = 0;
    const unreadable = new Error('not JSON');
    const { call } = await settledBy(() => (runs += 1), { unreadable });
    expect(call).toEqual({ verb: 'nack', with: { error: unreadable, retryInMs: null } });
    expect(runs).toBe(0);
  });

  it('that ends as a failure for a result which cannot be stored', async () => {
    const { source } = startLoop(() => 'result', { retry });
    const delivery = new FakeDelivery();
    const refusal = Object.assign(new Error('not JSON'), { code: 'INVALID_PAYLOAD' });
    delivery.failures.push(refusal);
    source.bring(delivery);
    await eventually(() => delivery.calls.length === 2);
    expect(delivery.calls[1]).toEqual({ verb: 'nack', with: { error: refusal, retryInMs: 500 } });
  });
});

describe('a run that takes longer than timeoutMs', () => {
  afterEach(endLoops);

  it('is a failure, aborts its signal and frees its slot', async () => {
    const signals: AbortSignal[] = [];
    const { source, loop } = startLoop(
      (_, { signal }) => {
        signals.push(signal);
        return new Promise(() => undefined);
      },
      { timeoutMs: 20, retry },
    );
    const delivery = new FakeDelivery();
    source.bring(delivery);
    await eventually(() => delivery.calls.length > 0);
    const { verb, with: rejection } = delivery.calls[0];
    expect(verb).toBe('nack');
    expect((rejection as Rejection).error).toBeInstanceOf(RunTimeoutError);
    expect(signals[0].reason).toBeInstanceOf(RunTimeoutError);
    expect(loop.health().running).toBe(0);
    await eventually(() => source.limits.length === 2);
  });

  it('is settled once, whatever the handler does after', async () => {
    const { source } = startLoop(
      (_, { signal }) =>
        new Promise((_, reject) => {
          signal.addEventListener('abort', () => reject(new Error('heeded')));
        }),
      { timeoutMs: 10, retry },
    );
    const delivery = new FakeDelivery();
    source.bring(delivery);
    await eventually(() => source.limits.length === 2);
    expect(delivery.verbs).toEqual(['nack']);
  });

  it('does not touch a run that ended in time', async () => {
    const { source } = startLoop(() => 'quick', { timeoutMs: 10 });
    const delivery = new FakeDelivery();
    source.bring(delivery);
    await new Promise((resolve) => setTimeout(resolve, 40));
    expect(delivery.verbs).toEqual(['ack']);
  });
});
