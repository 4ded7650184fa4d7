import type { Message } from '../../../lib/contract/index.js';
import { eventually } from '../../support/eventually.js';
import { signalled, type Signalled } from '../../contract/waiting.js';
import { endLoops, startLoop, turn } from './loop-fixture.js';
import { FakeDelivery } from './scripted-source.js';

describe('a claim loop claims for its free slots', () => {
  const ends = new Map<string, Signalled>();
  const held = ({ id }: Message) => {
    ends.set(id, signalled());
    return ends.get(id)?.promise;
  };
  const end = (...deliveries: FakeDelivery[]) =>
    deliveries.forEach(({ message }) => ends.get(message.id)?.resolve());
  const some = (count: number) => Array.from({ length: count }, () => new FakeDelivery());

  afterEach(async () => {
    for (const { resolve } of ends.values()) resolve();
    ends.clear();
    await endLoops();
  });

  it('all of them at the start, those claimed ahead included', () => {
    const { source } = startLoop(held, { concurrency: 5, prefetch: 3 });
    expect(source.limits).toEqual([8]);
  });

  it('the rest again when a claim brought fewer than it asked for', async () => {
    const { source, loop } = startLoop(held, { concurrency: 5 });
    source.bring(...some(2));
    await turn();
    expect(source.limits).toEqual([5, 3]);
    expect(loop.health().running).toBe(2);
  });

  it('those that came free in one tick with one claim', async () => {
    const { source } = startLoop(held, { concurrency: 4 });
    const deliveries = some(4);
    source.bring(...deliveries);
    await turn();
    end(...deliveries.slice(0, 3));
    await turn();
    expect(source.limits).toEqual([4, 3]);
  });

  it('in the tick of the settle, without waiting for its answer', async () => {
    const { source } = startLoop(held);
    const delivery = new FakeDelivery();
    delivery.ack = () => new Promise(() => delivery.calls.push({ verb: 'ack' }));
    source.bring(delivery);
    await turn();
    end(delivery);
    await new Promise<void>((resolve) => process.nextTick(resolve));
    expect([delivery.verbs, source.limits]).toEqual([['ack'], [1, 1]]);
  });

  it('while another claim waits', async () => {
    const { source } = startLoop(held, { concurrency: 2 });
    const delivery = new FakeDelivery();
    source.bring(delivery);
    await turn();
    end(delivery);
    await turn();
    expect(source.limits).toEqual([2, 1, 1]);
  });

  it('and never runs more handlers than its concurrency', async () => {
    const { source, loop } = startLoop(held, { concurrency: 2, prefetch: 3 });
    const deliveries = some(5);
    source.bring(...deliveries);
    await turn();
    expect(loop.health()).toMatchObject({ slots: 2, running: 2, prefetched: 3 });
    end(deliveries[0]);
    await turn();
    expect(loop.health()).toMatchObject({ running: 2, prefetched: 2 });
    expect([...ends.keys()]).toEqual(deliveries.slice(0, 3).map(({ message }) => message.id));
  });

  it('again and again when the source answers nothing, and lets others work', async () => {
    const { source, loop } = startLoop(held);
    source.answer = () => Promise.resolve([]);
    source.bring();
    await eventually(() => source.limits.length > 10);
    expect(loop.health().lastClaimAt).not.toBe(null);
  });

  it('once, however often it is started', () => {
    const { source, loop } = startLoop(held);
    loop.start();
    expect(source.limits).toEqual([1]);
  });

  it('and keeps the process alive until it is drained', async () => {
    const timers = () =>
      process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
    const before = timers();
    const { loop } = startLoop(held);
    expect(timers()).toBe(before + 1);
    await loop.drain(0);
    expect(timers()).toBe(before);
  });
});
