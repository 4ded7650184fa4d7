import { ShutdownError } from '../../../lib/errors/index.js';
import { MemoryEngine } from '../../../lib/testing/index.js';
import { ClaimLoop } from '../../../lib/worker/index.js';
import { caught } from '../../contract/caught.js';
import { RecordingLogger } from '../../contract/logs.js';
import { eventually } from '../../support/eventually.js';
import { signalled } from '../../contract/waiting.js';
import { endLoops, startLoop, turn } from './loop-fixture.js';
import { FakeDelivery } from './scripted-source.js';

describe('stop', () => {
  afterEach(endLoops);

  it('claims no more, gives back what was claimed ahead, and lets handlers run on', async () => {
    const end = signalled();
    const { source, loop } = startLoop(() => end.promise, { prefetch: 2 });
    const [runs, ...ahead] = [new FakeDelivery(), new FakeDelivery(), new FakeDelivery()];
    source.bring(runs, ...ahead);
    await turn();
    await loop.stop();
    expect(ahead.map(({ verbs }) => verbs)).toEqual([['release'], ['release']]);
    expect(loop.health()).toMatchObject({ claiming: false, stopping: true, running: 1 });
    end.resolve();
    await turn();
    expect(runs.verbs).toEqual(['ack']);
    expect(source.limits).toEqual([3]);
  });

  it('gives back what a claim in the air still brings, before it resolves', async () => {
    const { source, loop } = startLoop(() => 'never');
    const late = new FakeDelivery();
    const answer = signalled<FakeDelivery[]>();
    source.answer = () => answer.promise;
    source.bring();
    await eventually(() => source.limits.length === 2);
    let isStopped = false;
    const stopping = loop.stop().then(() => (isStopped = true));
    await turn();
    expect(isStopped).toBe(false);
    answer.resolve([late]);
    await stopping;
    expect(late.verbs).toEqual(['release']);
  });

  it('is final', async () => {
    const { loop } = startLoop(() => undefined);
    await loop.stop();
    expect(caught(() => loop.start())?.code).toBe('CLOSED');
  });
});

describe('drain', () => {
  afterEach(endLoops);

  it('waits for running handlers and for their settles, then closes the source', async () => {
    const [end, written] = [signalled(), signalled()];
    const { source, loop } = startLoop(() => end.promise);
    const delivery = new FakeDelivery();
    delivery.ack = () => written.promise;
    source.bring(delivery);
    await turn();
    const draining = loop.drain(20_000);
    end.resolve();
    await turn();
    expect(source.isClosed).toBe(false);
    written.resolve();
    await draining;
    expect(source.isClosed).toBe(true);
  });

  it('after the grace aborts and gives back, and waits for no handler', async () => {
    const signals: AbortSignal[] = [];
    const { source, loop } = startLoop((_, { signal }) => {
      signals.push(signal);
      return new Promise(() => undefined);
    });
    const delivery = new FakeDelivery();
    source.bring(delivery);
    await turn();
    await loop.drain(10);
    expect(delivery.calls).toEqual([{ verb: 'release', with: { delayMs: 0 } }]);
    expect(signals[0].reason).toBeInstanceOf(ShutdownError);
    expect(source.isClosed).toBe(true);
  });

  it('does not count what a handler does after the grace', async () => {
    const end = signalled();
    const { source, loop } = startLoop(() => end.promise);
    const delivery = new FakeDelivery();
    source.bring(delivery);
    await turn();
    await loop.drain(0);
    end.resolve();
    await turn();
    expect(delivery.verbs).toEqual(['release']);
  });

  it('ends soon after the grace when nothing answers any more', async () => {
    const hung = () => new Promise<never>(() => undefined);
    const { source, loop } = startLoop(hung, { concurrency: 2 });
    const delivery = new FakeDelivery();
    delivery.release = hung;
    source.bring(delivery);
    await turn();
    source.answer = hung;
    source.close = hung;
    const startedAt = performance.now();
    await loop.drain(50);
    expect(performance.now() - startedAt).toBeLessThan(6_000);
  });

  it('may be called again and before a start', async () => {
    const { loop, source } = startLoop(() => undefined);
    await Promise.all([loop.drain(10), loop.drain(0)]);
    await loop.drain(10);
    expect(source.isClosed).toBe(true);
    const logger = new RecordingLogger();
    const fresh = new ClaimLoop({ name: 'x', source, handler: () => undefined, logger });
    await fresh.drain(0);
    expect(logger.lines).toEqual([]);
  });

  it.each([-1, NaN, 1.5])('refuses a grace of %p', async (graceMs) => {
    const { loop } = startLoop(() => undefined);
    await expect(loop.drain(graceMs)).rejects.toMatchObject({ option: 'graceMs' });
  });

  it('takes a failing close as a line in the log', async () => {
    const { loop, source, logger } = startLoop(() => undefined);
    source.close = () => Promise.reject(new Error('cut'));
    await loop.drain(0);
    expect(logger.of('warn')).toEqual(['test: closing failed: cut']);
  });

  it('lets a running handler produce until it has ended', async () => {
    const engine = new MemoryEngine();
    const started = signalled();
    const source = engine.source({ queue: 'a', slots: 1, leaseMs: 30_000, attempts: 3 });
    const loop = new ClaimLoop({
      name: 'a',
      source,
      logger: new RecordingLogger(),
      handler: async () => {
        started.resolve();
        await turn();
        engine.produce('b', 'follow-up');
      },
    });
    engine.produce('a', 1);
    loop.start();
    await started.promise;
    await loop.drain(20_000);
    await eventually(() => engine.stateOf('b', '2') === 'waiting');
  });
});
