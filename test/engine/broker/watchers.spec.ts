import { firstValueFrom, take, toArray } from 'rxjs';
import { QueueWatcher, type ObserveOptions, type WatchOptions } from '../../../lib/broker/index.js';
import type { WatchedQueue } from '../../../lib/broker/queue.watcher.js';
import { InvalidOptionError } from '../../../lib/errors/index.js';
import { eventually } from '../../support/eventually.js';
import { bodiesOf, idsOf, refusal, useBroker } from './broker-fixture.js';

const fixture = useBroker('broker-watchers');

/** Whether somebody listens to a queue of this namespace. */
const isHeardHere = async (): Promise<boolean> =>
  ((await fixture.redis.pubsub('CHANNELS', `${fixture.base}:*`)) as string[]).length > 0;

describe('a watcher', () => {
  it('consumes what is there and what comes, until it is stopped', async () => {
    await fixture.insert('q', 1, 2);
    const seen: bigint[] = [];
    const watcher = fixture.queue('q').watch({ handler: ({ id }) => void seen.push(id) });
    await eventually(() => seen.length === 2);
    await fixture.insert('q', 3);
    await eventually(() => seen.length === 3);
    await watcher.stop();
    await watcher.stop();
    await watcher.done;
    await fixture.insert('q', 4);
    expect(seen).toEqual([1n, 2n, 3n]);
    expect(await fixture.queue('q').stats()).toMatchObject({ pending: 1, claimed: 3 });
  });

  it('has consumed a message whatever its handler does; the error handler decides about the rest', async () => {
    await fixture.insert('q', 1, 2, 3, 4);
    const failed: bigint[] = [];
    const watcher = fixture.queue('q').watch({
      handler: () => Promise.reject(new Error('no')),
      onError: (_, message) => {
        failed.push(message!.id);
        return message!.id < 3n;
      },
    });
    await watcher.done;
    expect(failed).toEqual([1n, 2n, 3n]);
    expect(await fixture.queue('q').stats()).toMatchObject({ pending: 1, claimed: 3 });
  });

  it('awaits its error handler: what that resolves with decides, what it rejects with stops', async () => {
    await fixture.insert('q', 1, 2, 3);
    const handler = () => Promise.reject(new Error('no'));
    const stopped = fixture.queue('q').watch({ handler, onError: () => Promise.resolve(false) });
    await stopped.done;
    expect(stopped.count).toBe(1);
    const worse = () => Promise.reject(new Error('worse'));
    const failed = fixture.queue('q').watch({ handler, onError: worse });
    await expect(failed.done).rejects.toThrow('worse');
    expect(failed.count).toBe(1);
    expect(await fixture.queue('q').stats()).toMatchObject({ pending: 1, claimed: 2 });
  });

  it('that drained its queue does not look once more for each message that came meanwhile', async () => {
    const queue = fixture.queue('q');
    const looks: (bigint | null)[] = [];
    const watched: WatchedQueue<string> = {
      name: 'q',
      read: async (options) => {
        const message = await queue.read(options);
        looks.push(message?.id ?? null);
        return message;
      },
      peek: (options) => queue.peek(options),
      move: (target, options) => queue.move(target, options),
      waiter: () => queue.waiter(),
    };
    await fixture.insert('q', 1);
    const watcher = new QueueWatcher<string>(watched, {
      handler: async ({ id }) => {
        if (id === 1n) await queue.writeMany(Array.from({ length: 50 }, (_, n) => `${n}`));
      },
    }).start();
    await eventually(() => looks.length > 51);
    await fixture.queue('q').write('the last');
    await eventually(() => watcher.count === 52);
    await watcher.stop();
    // one empty look ends each drain, and a wake-up may come behind the look that saw its message
    expect(looks.filter((id) => id === null).length).toBeLessThan(6);
  });

  it('without an error handler stops with the error', async () => {
    await fixture.insert('q', 1, 2);
    const watcher = fixture.queue('q').watch({ handler: () => Promise.reject(new Error('no')) });
    await expect(watcher.done).rejects.toThrow('no');
    expect(await fixture.queue('q').stats()).toMatchObject({ pending: 1, claimed: 1 });
  });

  it('that peeks goes on only behind what succeeded', async () => {
    await fixture.insert('q', 1, 2, 3);
    const seen: bigint[] = [];
    const watcher = fixture.queue('q').watch({
      mode: 'peek',
      after: 1n,
      handler: ({ id }) => {
        seen.push(id);
        if (seen.length === 1) throw new Error('once');
      },
      onError: () => undefined,
      maxMessages: 3,
    });
    await watcher.done;
    expect(seen).toEqual([2n, 2n, 3n]);
    expect(await fixture.queue('q').stats()).toMatchObject({ pending: 3, claimed: 0 });
  });

  it('that moves does so before its handler sees the message', async () => {
    await fixture.insert('q', 1, 2, 3);
    const found: unknown[] = [];
    const watcher = fixture.queue('q').watch({
      mode: 'move',
      target: 'done',
      handler: async () => found.push(...idsOf(await fixture.queue('done').peekMany())),
      maxMessages: 2,
    });
    await watcher.done;
    expect(watcher.count).toBe(2);
    expect(found).toEqual([1n, 1n, 2n]);
    expect(idsOf(await fixture.queue('q').peekMany())).toEqual([3n]);
  });

  it('stops by a signal, also while it waits', async () => {
    await fixture.insert('q', 1);
    const stop = new AbortController();
    const handler = () => undefined;
    const watcher = fixture.queue('q').watch({ handler, signal: stop.signal });
    await eventually(async () => (await fixture.queue('q').stats()).claimed === 1);
    await eventually(isHeardHere);
    stop.abort();
    await watcher.done;
    await eventually(async () => !(await isHeardHere()));
    const late = fixture.queue('q').watch({ handler, signal: stop.signal });
    await late.done;
    expect(late.count).toBe(0);
  });

  it('waits for the handler in progress when it is stopped', async () => {
    await fixture.insert('q', 1);
    let isDone = false;
    let started!: () => void;
    const running = new Promise<void>((resolve) => (started = resolve));
    const watcher = fixture.queue('q').watch({
      handler: async () => {
        started();
        await new Promise((resolve) => setTimeout(resolve, 50));
        isDone = true;
      },
    });
    await running;
    await watcher.stop();
    expect(isDone).toBe(true);
  });

  it('is waited for by the close of its broker, which goes on working for the handler', async () => {
    await fixture.insert('q', 1, 2);
    const broker = fixture.another();
    let start!: () => void;
    const started = new Promise<void>((resolve) => (start = resolve));
    const seen: unknown[] = [];
    const watcher = broker.queue('q').watch({
      handler: async ({ id }) => {
        start();
        await new Promise((resolve) => setTimeout(resolve, 50));
        seen.push(id, await broker.write('done', 'x'));
      },
    });
    await started;
    await broker.close();
    expect(seen).toEqual([1n, expect.any(BigInt)]);
    await watcher.done;
    expect(await refusal(() => broker.write('done', 'x'))).toEqual({ code: 'CLOSED' });
    expect(await fixture.queue('q').stats()).toMatchObject({ pending: 1, claimed: 1 });
  });

  it('refuses what contradicts itself', async () => {
    const handler = () => undefined;
    const queue = fixture.queue('q');
    const wrong = (option: string) => ({ code: 'INVALID_OPTION', option });
    for (const [options, option] of [
      [{}, 'handler'],
      [{ handler, mode: 'eat' }, 'mode'],
      [{ handler, mode: 'move' }, 'target'],
      [{ handler, target: 'r' }, 'target'],
      [{ handler, mode: 'move', target: 'q' }, 'target'],
      [{ handler, maxMessages: 0 }, 'maxMessages'],
      [{ handler, signal: {} }, 'signal'],
    ] as const) {
      expect(await refusal(() => queue.watch(options as WatchOptions))).toEqual(wrong(option));
    }
    for (const target of ['-x', '@', '', null]) {
      const options = { handler, mode: 'move', target, onError: handler } as WatchOptions;
      expect(await refusal(() => queue.watch(options))).toEqual({ code: 'INVALID_QUEUE_NAME' });
    }
  });
});

describe('an observed queue', () => {
  it('yields its messages, and is left alone after the last subscriber', async () => {
    await fixture.queue('q').writeMany(['a', 'b', 'c']);
    const two = await firstValueFrom(fixture.queue('q').observe().pipe(take(2), toArray()));
    expect(bodiesOf(two)).toEqual(['a', 'b']);
    const rest = fixture.queue('q').observe({ mode: 'peek', maxMessages: 1 }).pipe(toArray());
    expect(bodiesOf(await firstValueFrom(rest))).toEqual(['c']);
  });

  it.each([null, 5, [], true, '', new Date()])('refuses the options %p at once', (options) => {
    const observe = () => fixture.queue('q').observe(options as unknown as ObserveOptions);
    expect(observe).toThrow(InvalidOptionError);
    expect(observe).toThrow('options: expected an object');
  });

  it('refuses options that are wrong, and handlers, at once', async () => {
    const handler = () => undefined;
    for (const [options, option] of [
      [{ handler }, 'options.handler'],
      [{ onError: handler }, 'options.onError'],
      [{ mode: 'eat' }, 'mode'],
      [{ mode: 'move' }, 'target'],
      [{ after: 1 }, 'after'],
      [{ maxMessages: 0 }, 'maxMessages'],
      [{ signal: {} }, 'signal'],
    ] as const) {
      const observe = () => fixture.queue('q').observe(options as ObserveOptions);
      expect(await refusal(observe)).toEqual({ code: 'INVALID_OPTION', option });
    }
  });

  it('ends with the error of the server', async () => {
    await fixture.broker.meta();
    await fixture.redis.set(fixture.key('q', 'odd', 'pending'), 'of another type');
    const watching = firstValueFrom(fixture.queue('odd').observe());
    await expect(watching).rejects.toMatchObject({ code: 'OPERATION_FAILED' });
    await fixture.redis.del(fixture.key('q', 'odd', 'pending'));
  });
});
