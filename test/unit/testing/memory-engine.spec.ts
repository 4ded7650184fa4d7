import type { Delivery } from '../../../lib/contract/index.js';
import { MemoryEngine } from '../../../lib/testing/index.js';
import { caught } from '../../contract/caught.js';

const TARGET = { queue: 'q', slots: 10, leaseMs: 30_000, attempts: 2 };

describe('the memory engine', () => {
  let engine: MemoryEngine;
  beforeEach(() => (engine = new MemoryEngine()));

  const claim = (limit = 10): Promise<readonly Delivery[]> =>
    engine.source(TARGET).claim({ limit, signal: new AbortController().signal });
  const payloadsOf = (deliveries: readonly Delivery[]) =>
    deliveries.map(({ message }) => message.payload);

  it('runs one message of a group at a time, in order, and groups side by side', async () => {
    for (const payload of ['a1', 'a2', 'b1', 'b2'])
      engine.produce('q', payload, { group: payload[0] });
    const first = await claim();
    expect(payloadsOf(first)).toEqual(['a1', 'b1']);
    await first[0].ack();
    const second = await claim();
    expect(payloadsOf(second)).toEqual(['a2']);
    await first[1].ack();
    expect(payloadsOf(await claim())).toEqual(['b2']);
  });

  it('puts a message that failed behind the others of its group', async () => {
    for (const payload of [1, 2]) engine.produce('q', payload, { group: 'g' });
    const [failed] = await claim();
    await failed.nack({ error: new Error('x'), retryInMs: 0 });
    const [next] = await claim();
    await next.ack();
    expect(payloadsOf([next, ...(await claim())])).toEqual([2, 1]);
  });

  it('frees the group of a message that was cancelled or whose holder was silent', async () => {
    for (const payload of [1, 2, 3]) engine.produce('q', payload, { group: 'g', maxAttempts: 1 });
    const [first] = await claim();
    expect(engine.cancel('q', first.message.id)).toBe(true);
    expect(payloadsOf(await claim())).toEqual([2]);
    engine.advance(30_000);
    expect(payloadsOf(await claim())).toEqual([3]);
  });

  it('buries a message whose last attempt crashed, with the reason', async () => {
    const id = engine.produce('q', 'crash');
    for (const attempt of [1, 2]) {
      expect((await claim())[0].message.attempt).toBe(attempt);
      engine.advance(30_000);
    }
    expect(engine.stateOf('q', id)).toBe('dead');
    const [letter] = await engine.deadLetters('q').list();
    expect(letter).toMatchObject({ attempts: 2, reason: 'the lease ran out in attempt 2 of 2' });
  });

  it('tells what a handler returned', async () => {
    const ids = [engine.produce('q', 1), engine.produce('q', 2)];
    const [one, two] = await claim();
    await one.ack({ sent: true });
    await two.ack();
    expect(ids.map((id) => engine.resultOf('q', id))).toEqual([{ sent: true }, undefined]);
  });

  it('keeps one message an id, and makes ids that are free', () => {
    expect(engine.produce('q', 'mine', { id: '2' })).toBe('2');
    expect(engine.produce('q', 'again', { id: '2' })).toBe('2');
    expect([engine.produce('q', 'x'), engine.produce('q', 'y')]).toEqual(['1', '3']);
  });

  it('refuses what JSON cannot say, and options out of range, before it keeps anything', async () => {
    const refusals = [
      caught(() => engine.produce('q', undefined)),
      caught(() => engine.produce('q', 1n)),
      caught(() => engine.produce('q', 1, { delayMs: -1 })),
      caught(() => engine.produce('q', 1, { maxAttempts: 0 })),
    ];
    expect(refusals.map((refusal) => refusal?.code)).toEqual([
      'INVALID_PAYLOAD',
      'INVALID_PAYLOAD',
      'INVALID_OPTION',
      'INVALID_OPTION',
    ]);
    expect(await engine.health('q')).toMatchObject({ waiting: 0, running: 0 });
  });

  it('says how it is: what waits, what runs, how long the oldest has waited', async () => {
    engine.produce('q', 1);
    engine.advance(500);
    engine.produce('q', 2);
    const health = await engine.health('q');
    expect(health).toMatchObject({ connected: true, waiting: 2, running: 0 });
    expect(health.oldestWaitingMs).toBeGreaterThanOrEqual(500);
    await claim(1);
    expect(await engine.health('q')).toMatchObject({ waiting: 1, running: 1 });
  });

  it('knows when its upkeep has work again', async () => {
    const [task] = engine.upkeep(TARGET);
    expect([task.name, await task.run()]).toEqual(['memory:q', { nextInMs: Infinity }]);
    const id = engine.produce('q', 1, { delayMs: 5_000 });
    expect((await task.run()).nextInMs).toBeLessThanOrEqual(5_000);
    engine.advance(5_000);
    await task.run();
    expect(engine.stateOf('q', id)).toBe('waiting');
  });

  it('keeps queues apart', async () => {
    const id = engine.produce('other', 'x');
    expect(engine.stateOf('q', id)).toBe(null);
    expect(engine.cancel('q', id)).toBe(false);
    expect(await engine.deadLetters('q').count()).toBe(0);
  });
});
