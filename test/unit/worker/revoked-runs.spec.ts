import type { ProcessContext } from '../../../lib/contract/index.js';
import { CancelledError, LeaseLostError } from '../../../lib/errors/index.js';
import { signalled } from '../../contract/waiting.js';
import { endLoops, startLoop, turn } from './loop-fixture.js';
import { FakeDelivery } from './scripted-source.js';

describe('a run whose message is no longer ours', () => {
  afterEach(endLoops);

  /** A loop with one running handler, whose end the test decides. */
  async function running(prefetch = 0) {
    const end = signalled();
    const contexts: ProcessContext[] = [];
    const started = startLoop(
      (_, context) => {
        contexts.push(context);
        return end.promise;
      },
      { prefetch },
    );
    const delivery = new FakeDelivery();
    started.source.bring(delivery);
    await turn();
    return { ...started, end, context: contexts[0], contexts, delivery };
  }

  it('sees its signal abort with the reason and writes nothing', async () => {
    const { context, delivery, end, source, logger } = await running();
    const reason = new LeaseLostError('someone else holds it');
    const { signal } = context;
    delivery.revoke(reason);
    expect(signal.reason).toBe(reason);
    end.resolve();
    await turn();
    expect(delivery.verbs).toEqual([]);
    expect(source.limits).toEqual([1, 1]);
    expect(logger.lines).toHaveLength(1);
    expect(logger.of('warn')[0]).toContain('someone else');
  });

  it('finds a signal that has aborted when it looks later', async () => {
    const { context, delivery } = await running();
    const reason = new CancelledError('not wanted');
    delivery.revoke(reason);
    delivery.revoke(new Error('a second reason'));
    expect([context.signal.aborted, context.signal.reason]).toEqual([true, reason]);
    expect(context.signal).toBe(context.signal);
  });

  it('keeps its slot until the handler ends', async () => {
    const { delivery, source, loop, end } = await running();
    delivery.revoke(new CancelledError('not wanted'));
    await turn();
    expect([loop.health().running, source.limits.length]).toEqual([1, 1]);
    end.resolve();
    await turn();
    expect([loop.health().running, source.limits.length]).toEqual([0, 2]);
  });

  it('cannot extend', async () => {
    const { context, delivery } = await running();
    delivery.revoke(new LeaseLostError('gone'));
    await expect(context.extend()).rejects.toBeInstanceOf(LeaseLostError);
    expect(delivery.verbs).toEqual([]);
  });

  it('is told by an extension that finds the lease lost', async () => {
    const { context, delivery } = await running();
    delivery.failures.push(new LeaseLostError('gone'));
    await expect(context.extend()).rejects.toBeInstanceOf(LeaseLostError);
    expect(context.signal.reason).toBeInstanceOf(LeaseLostError);
  });

  it('never starts when it was claimed ahead', async () => {
    const { source, contexts, end, loop } = await running(1);
    const ahead = new FakeDelivery();
    source.bring(ahead);
    await turn();
    expect(loop.health().prefetched).toBe(1);
    ahead.revoke(new CancelledError('not wanted'));
    await turn();
    expect(loop.health().prefetched).toBe(0);
    end.resolve();
    await turn();
    expect([contexts.length, ahead.verbs.length]).toEqual([1, 0]);
  });

  it('never starts when it was lost before it arrived', async () => {
    const { source, contexts } = await running(1);
    const lost = new FakeDelivery();
    lost.onRevoked = (listener) => listener(new LeaseLostError('gone'));
    source.bring(lost);
    await turn();
    expect(contexts).toHaveLength(1);
  });

  it('hands its context the attempt, the fence and the logger', async () => {
    const { context, logger } = await running();
    expect([context.attempt, context.fence, context.logger]).toEqual([1, 7, logger]);
  });
});
