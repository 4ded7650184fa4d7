import type { ActivityWaiter, QueueBroker } from '../../../lib/broker/index.js';
import { RecordingLogger } from '../../contract/logs.js';
import { eventually } from '../../support/eventually.js';
import { FaultyProxy } from '../../support/faulty-proxy.js';
import { REDIS_URL } from '../../support/test-prefix.js';
import { refusal, useBroker } from './broker-fixture.js';

const fixture = useBroker('broker-waiters');
const soon = { timeoutMs: 10_000 };
const hardly = { timeoutMs: 100 };

/** How many subscribed connections the server has for the queues of this namespace. */
const channels = async (): Promise<number> =>
  ((await fixture.redis.pubsub('CHANNELS', `${fixture.base}:*`)) as string[]).length;

describe('a waiter', () => {
  it('hears writes to its queue, and no others', async () => {
    const waiter = await fixture.queue('jobs').waiter();
    await fixture.queue('other').write('x');
    expect(await waiter.wait(hardly)).toBe(false);
    await fixture.another().queue('jobs').write('x');
    expect(await waiter.wait(soon)).toBe(true);
    await waiter.close();
    await waiter.close();
    expect(await waiter.wait(soon)).toBe(false);
  });

  it('answers true once for each write', async () => {
    const waiter = await fixture.queue('jobs').waiter();
    await fixture.queue('jobs').writeMany(['1', '2', '3']);
    for (let n = 0; n < 3; n++) expect(await waiter.wait(soon)).toBe(true);
    expect(await waiter.wait({ timeoutMs: 0 })).toBe(false);
    await waiter.close();
  });

  it('reports nothing that was written before', async () => {
    await fixture.queue('jobs').write('early');
    const waiter = await fixture.queue('jobs').waiter();
    expect(await waiter.wait(hardly)).toBe(false);
    await waiter.close();
  });

  it('is woken while it waits, by every verb that brings a message', async () => {
    await fixture.broker.aliases.add('alias', 'jobs');
    const waiter = await fixture.queue('@alias').waiter();
    const { broker } = fixture;
    const verbs: (() => Promise<unknown>)[] = [
      () => broker.write('jobs', 'x'),
      () => broker.write('jobs', 'x', { keepNewest: 5 }),
      () => broker.insert([{ queue: 'jobs', id: 5n, body: 'x' }]),
      () => broker.broadcast('x'),
      () => broker.broadcast('x', { queues: ['jobs'] }),
      async () => {
        await broker.write('side', 'x');
        await broker.queue('side').move('jobs');
      },
      async () => {
        await broker.deleteQueues(['jobs']);
        await broker.write('side', 'x');
        await broker.rename('side', 'jobs');
      },
    ];
    for (const verb of verbs) {
      waiter.forget();
      const waiting = waiter.wait(soon);
      await verb();
      expect(await waiting).toBe(true);
    }
    await waiter.close();
  });

  it('ends its wait with its signal and at its close', async () => {
    const waiter = await fixture.queue('jobs').waiter();
    const stop = new AbortController();
    const stopped = waiter.wait({ ...soon, signal: stop.signal });
    stop.abort();
    expect(await stopped).toBe(false);
    expect(await waiter.wait({ ...soon, signal: stop.signal })).toBe(false);
    const closed = waiter.wait(soon);
    await waiter.close();
    expect(await closed).toBe(false);
  });

  it.each<[string, (broker: QueueBroker) => Promise<ActivityWaiter>]>([
    ['a queue', (broker) => broker.queue('a').waiter()],
    ['several queues', (broker) => broker.waiter(['a', 'b'])],
  ])('of %s answers false once its broker closes, before and after', async (_, open) => {
    const broker = fixture.another();
    const waiter = await open(broker);
    const waiting = [waiter.wait({ timeoutMs: 60_000 }), waiter.wait({ timeoutMs: 60_000 })];
    await broker.close();
    expect(await Promise.all(waiting)).toEqual([false, false]);
    expect(await waiter.wait(soon)).toBe(false);
    await waiter.close();
    await eventually(async () => (await channels()) === 0);
  });

  it.each([5, null, {}, 'x', () => undefined])('refuses the signal %p', async (signal) => {
    const waiter = await fixture.queue('jobs').waiter();
    const waiting = waiter.wait({ ...soon, signal: signal as never });
    await expect(waiting).rejects.toMatchObject({ code: 'INVALID_OPTION', option: 'signal' });
    await expect(waiting).rejects.toThrow('expected an AbortSignal');
    await waiter.close();
  });

  it('that its broker closes before it is open is refused, and leaves no registration', async () => {
    const broker = fixture.another();
    await broker.meta();
    const opening = refusal(() => broker.waiter(['a', 'b']));
    await broker.close();
    expect(await opening).toEqual({ code: 'CLOSED' });
    await eventually(async () => (await channels()) === 0);
  });

  it('for several queues hears each of them, and counts a queue once', async () => {
    const waiter = await fixture.broker.waiter(['a', 'b', 'a']);
    await fixture.queue('a').write('x');
    await fixture.queue('b').write('x');
    expect(await waiter.wait(soon)).toBe(true);
    expect(await waiter.wait(soon)).toBe(true);
    expect(await waiter.wait({ timeoutMs: 0 })).toBe(false);
    await waiter.close();
  });

  it('shares one connection and one channel with its equals, and frees them with the last', async () => {
    const proxy = await FaultyProxy.start(Number(new URL(REDIS_URL).port));
    const broker = fixture.another({ connection: { url: proxy.url } });
    const waiters = await Promise.all([
      broker.queue('a').waiter(),
      broker.queue('a').waiter(),
      broker.waiter(['a', 'b']),
    ]);
    expect(await channels()).toBe(2);
    expect(proxy.connections).toBe(2); // one for commands, one subscribed
    await waiters[0].close();
    await waiters[2].close();
    expect(await channels()).toBe(1);
    await fixture.queue('a').write('x');
    expect(await waiters[1].wait(soon)).toBe(true);
    await waiters[1].close();
    await eventually(async () => (await channels()) === 0);
    await broker.close();
    await proxy.stop();
  });

  it.each([0.5, -1, NaN, '1', null])('refuses to wait %p', async (timeoutMs) => {
    const waiter = await fixture.queue('jobs').waiter();
    const wait = () => waiter.wait({ timeoutMs: timeoutMs as number });
    expect(await refusal(wait)).toEqual({ code: 'INVALID_OPTION', option: 'timeoutMs' });
    await waiter.close();
  });

  it('hears nothing of other databases and namespaces', async () => {
    const url = new URL(fixture.url);
    url.pathname = '/1';
    const elsewhere = fixture.another({ connection: { url: url.href } });
    const beside = fixture.another({ namespace: `${fixture.namespace}x` });
    const waiter = await fixture.queue('jobs').waiter();
    await elsewhere.write('jobs', 'x');
    await beside.write('jobs', 'x');
    expect(await waiter.wait(hardly)).toBe(false);
    const other = await elsewhere.queue('jobs').waiter();
    await fixture.queue('jobs').write('x');
    expect(await other.wait(hardly)).toBe(false);
    expect(await waiter.wait(soon)).toBe(true);
    await Promise.all([waiter.close(), other.close()]);
    await Promise.all([elsewhere.cleanUp(), beside.cleanUp()]);
  });

  it('that closes throws its first failure with the later ones, and only once', async () => {
    const failing = (message: string) => () => Promise.reject(new Error(message));
    const waiter = await fixture.broker.waiter(['a', 'b', 'c']);
    const inner = waiter as unknown as { registrations: { release: () => Promise<void> }[] };
    const real = inner.registrations.splice(0);
    let released = 0;
    inner.registrations.push(
      { release: failing('first') },
      { release: () => Promise.resolve(void released++) },
      { release: failing('second') },
    );
    await expect(waiter.close()).rejects.toMatchObject({
      message: 'first',
      errors: [expect.objectContaining({ message: 'second' })],
    });
    expect(released).toBe(1);
    await waiter.close();
    await Promise.all(real.map((registration) => registration.release()));
  });
});

describe('a lost subscriber connection', () => {
  let proxy: FaultyProxy;
  let broker: QueueBroker;
  beforeEach(async () => {
    proxy = await FaultyProxy.start(Number(new URL(REDIS_URL).port));
    broker = fixture.another({ connection: { url: proxy.url }, logger: new RecordingLogger() });
  });
  afterEach(async () => {
    await broker.close();
    await proxy.stop();
  });

  it('wakes its waiters to look for themselves, and subscribes anew', async () => {
    const waiter = await broker.queue('jobs').waiter();
    const waiting = waiter.wait(soon);
    proxy.cut();
    expect(await waiting).toBe(true);
    await eventually(async () => (await channels()) === 1);
    expect(await waiter.wait(soon)).toBe(true); // once more, for what came in between
    waiter.forget();
    await eventually(async () => {
      await fixture.queue('jobs').write('x');
      return waiter.wait(hardly);
    });
    await waiter.close();
  });

  it('does not keep a close waiting', async () => {
    const waiter = await broker.queue('jobs').waiter();
    proxy.refuse();
    const waiting = waiter.wait({ timeoutMs: 60_000 });
    const begun = performance.now();
    await waiter.close();
    await broker.close();
    expect(performance.now() - begun).toBeLessThan(5_000);
    await waiting;
  });

  it('that does not confirm is an error in time, and is opened anew', async () => {
    const patience = { connectTimeoutMs: 300, logger: new RecordingLogger() };
    const late = fixture.another({ connection: { url: proxy.url }, ...patience });
    await late.stats(); // the namespace is opened
    proxy.dropReplies();
    const opening = refusal(() => late.queue('jobs').waiter());
    expect(await opening).toEqual({ code: 'NOT_CONNECTED', retryable: true });
    proxy.resume();
    const waiter = await eventually(() =>
      late
        .queue('jobs')
        .waiter()
        .catch(() => null),
    );
    await fixture.queue('jobs').write('x');
    expect(await waiter!.wait(soon)).toBe(true);
    await late.close();
  });

  it('that was never there is an error in time', async () => {
    proxy.refuse();
    const late = fixture.another({
      connection: { url: proxy.url },
      connectTimeoutMs: 300,
      logger: new RecordingLogger(),
    });
    expect(await refusal(() => late.queue('jobs').waiter())).toEqual({
      code: 'NOT_CONNECTED',
      retryable: true,
    });
  });
});
