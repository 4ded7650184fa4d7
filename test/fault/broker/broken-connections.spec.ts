import { Redis } from 'ioredis';
import { LUA_SCRIPTS } from '../../../lib/generated/lua-scripts.js';
import type { QueueBroker } from '../../../lib/broker/index.js';
import { RecordingLogger } from '../../contract/logs.js';
import { bodiesOf, collect, refusal, useBroker } from '../../engine/broker/broker-fixture.js';
import { eventually } from '../../support/eventually.js';
import { FaultyProxy } from '../../support/faulty-proxy.js';
import { REDIS_URL } from '../../support/test-prefix.js';

const fixture = useBroker('broker-broken');
const lost = { retryable: true, outcomeAmbiguous: true };

let proxy: FaultyProxy;
let broker: QueueBroker;

// a script that the server does not know would be refused, and the refusal be what is lost
beforeAll(async () => {
  const known = new Redis(REDIS_URL);
  for (const { lua } of Object.values(LUA_SCRIPTS)) await known.script('LOAD', lua);
  known.disconnect();
});

beforeEach(async () => {
  proxy = await FaultyProxy.start(Number(new URL(REDIS_URL).port));
  broker = fixture.another({
    connection: { url: proxy.url },
    connectTimeoutMs: 1_000,
    commandTimeoutMs: 400,
    logger: new RecordingLogger(),
    staleBatchMs: -1, // a verb's own call is the first
  });
  await broker.queue('q').writeMany(['1', '2', '3']);
});

afterEach(async () => {
  await broker.close();
  await proxy.stop();
});

describe('a reply that is lost', () => {
  /** What there is after the verb took place once. */
  const verbs: readonly (readonly [string, () => Promise<unknown>, readonly string[]])[] = [
    ['write', () => broker.write('q', 'x'), ['q: 1 2 3 x']],
    ['keepNewest', () => broker.write('q', 'x', { keepNewest: 2 }), ['q: 1- 2- 3 x']],
    ['insert', () => broker.insert([{ queue: 'q', id: 7n, body: 'x' }]), ['q: x 1 2 3']],
    ['read', () => broker.queue('q').read(), ['q: 1- 2 3']],
    ['readMany', () => broker.queue('q').readMany({ limit: 2 }), ['q: 1- 2- 3']],
    ['move', () => broker.queue('q').move('r'), ['q: 2 3', 'r: 1']],
    ['broadcast', () => broker.broadcast('x'), ['q: 1 2 3 x']],
    ['rename', () => broker.rename('q', 'r'), ['r: 1 2 3']],
    ['delete', () => broker.deleteQueues(['q']), []],
    ['clean-up', () => broker.cleanUp(), []],
  ];

  /** The messages of all queues, the claimed ones marked. */
  const contents = async (): Promise<string[]> => {
    const names = (await fixture.broker.listQueues()).map(({ queue }) => queue);
    const looks = names.map(async (name) => {
      const rows = await fixture.queue(name).peekMany({ includeClaimed: true });
      const marks = rows.map(({ body, state }) => body + (state === 'claimed' ? '-' : ''));
      return `${name}: ${marks.join(' ')}`;
    });
    return Promise.all(looks);
  };

  it.each(verbs)('of %s is not asked for again, and its error says so', async (_, verb, after) => {
    proxy.dropReplies();
    await expect(verb()).rejects.toMatchObject(lost);
    proxy.resume();
    const wanted = JSON.stringify(after);
    await eventually(async () => JSON.stringify(await contents()) === wanted);
    await broker.meta(); // over its own connection: nothing of it is under way any more
    expect(await contents()).toEqual(after);
  });

  const reads: Readonly<Record<string, () => Promise<unknown>>> = {
    'broker/peek': () => broker.queue('q').peek(),
    'broker/stats': () => broker.queue('q').stats(),
    'broker/queues': () => broker.listQueues(),
    'broker/find': () => broker.queue('q').find('abc'),
    'broker/first-waiting': () => broker.queue('q').latestId(),
    'broker/aliases': () => broker.aliases.list(),
    'broker/dead-list': () => broker.queue('q').deadLetters.list(),
    'broker/open': () => broker.ids.refresh(),
  };

  it.each(Object.entries(reads))('of %s leaves nothing in doubt', async (script, read) => {
    proxy.dropReplies();
    const failing = read();
    await expect(failing).rejects.toMatchObject({
      ...{ code: 'COMMAND_TIMEOUT', retryable: true, outcomeAmbiguous: false },
    });
    await expect(failing).rejects.toThrow(
      new RegExp(`did not answer the script ${script} within \\d+ ms$`),
    );
  });

  it('of a roll-back is asked for again, since a second one changes nothing', async () => {
    const patient = fixture.another({
      connection: { url: proxy.url },
      logger: new RecordingLogger(),
    });
    const reading = patient.queue('q').readAll({ guarantee: 'at-least-once' });
    await reading.next();
    proxy.dropReplies();
    const rolledBack = reading.return();
    await eventually(async () => (await fixture.queue('q').stats()).reserved === 0);
    const next = fixture.queue('q').readAll({ guarantee: 'at-least-once' });
    await next.next();
    proxy.resume();
    proxy.cut();
    await rolledBack;
    expect(await fixture.queue('q').stats()).toMatchObject({ pending: 3, reserved: 3 });
    await next.return();
  });

  it('of a write leaves one message, not two', async () => {
    proxy.dropReplies();
    await expect(broker.write('q', 'once')).rejects.toMatchObject(lost);
    proxy.resume();
    await eventually(async () => (await broker.queue('q').peekMany()).length === 4);
    expect(bodiesOf(await fixture.queue('q').peekMany())).toEqual(['1', '2', '3', 'once']);
  });

  it('of an advance of the ids leaves it unknown', async () => {
    proxy.dropReplies();
    await expect(broker.ids.advance(5n)).rejects.toMatchObject({ code: 'TIMESTAMP', ...lost });
    proxy.resume();
    expect(await broker.ids.advance(5n)).toBe(await fixture.broker.ids.refresh());
  });

  it('of a batch is asked for again, and it is the same batch', async () => {
    const patient = fixture.another({
      connection: { url: proxy.url },
      logger: new RecordingLogger(),
      staleBatchMs: -1,
    });
    const reading = patient.queue('q').readAll({ guarantee: 'at-least-once', batchSize: 2 });
    await patient.stats(); // the namespace is opened
    proxy.dropReplies();
    const first = reading.next();
    await eventually(async () => (await fixture.queue('q').stats()).reserved === 2);
    proxy.resume();
    proxy.cut();
    expect((await first).value).toMatchObject({ body: '1' });
    expect((await reading.next()).value).toMatchObject({ body: '2' });
    expect((await reading.next()).value).toMatchObject({ body: '3' });
    expect(await fixture.queue('q').stats()).toMatchObject({ reserved: 1, claimed: 2 });
    await reading.return();
  });
});

describe('a commit that fails', () => {
  const failures: readonly (readonly [string, () => void, object])[] = [
    ['since it did not arrive', () => proxy.blackHole(), { pending: 3, reserved: 0, claimed: 0 }],
    ['since its reply is lost', () => proxy.dropReplies(), { pending: 1, reserved: 0, claimed: 2 }],
  ];

  it.each(failures)('%s leaves nothing reserved', async (_, spoil, after) => {
    const reading = broker.queue('q').readAll({ guarantee: 'at-least-once', batchSize: 2 });
    await reading.next();
    await reading.next();
    spoil();
    const failing = reading.next();
    setTimeout(() => (proxy.resume(), proxy.cut()), 600);
    await expect(failing).rejects.toMatchObject(lost);
    expect(await fixture.queue('q').stats()).toMatchObject(after);
  });
});

describe('a give-back that fails', () => {
  type Reading = ReturnType<ReturnType<QueueBroker['queue']>['readAll']>;
  const spoils: readonly (readonly [string, () => void])[] = [
    ['since it is not answered', () => proxy.blackHole()],
    ['since the server is away', () => proxy.refuse()],
  ];
  const cures: readonly (readonly [string, (reading: Reading) => Promise<unknown>])[] = [
    ['the next return()', (reading) => reading.return()],
    ['the close of its broker', () => broker.close()],
  ];

  it.each(
    spoils.flatMap(([why, spoil]) =>
      cures.map(([what, cure]) => [why, what, spoil, cure] as const),
    ),
  )(
    '%s is made good by %s',
    async (_why, _what, spoil, cure) => {
      await broker.write('other', 'x');
      const reading = broker.queue('q').readAll({ guarantee: 'at-least-once' });
      await reading.next();
      spoil();
      await expect(reading.return()).rejects.toMatchObject({ retryable: true });
      proxy.resume();
      proxy.cut();
      await eventually(async () => (await refusal(() => broker.meta())).code === undefined);
      expect(await fixture.queue('q').stats()).toMatchObject({ reserved: 3 });
      await cure(reading);
      expect(await fixture.queue('q').stats()).toMatchObject({ pending: 3, reserved: 0 });
    },
    20_000,
  );
});

describe('scripts that the server has forgotten', () => {
  it('are sent anew, with effects once', async () => {
    await fixture.redis.script('FLUSH');
    await Promise.all([broker.write('q', '4'), broker.write('r', '5')]);
    await fixture.redis.script('FLUSH');
    expect(bodiesOf(await collect(broker.queue('q').readAll()))).toEqual(['1', '2', '3', '4']);
    await fixture.redis.script('FLUSH');
    expect(await broker.broadcast('x')).toBe(2);
  });
});

describe('a server that is not there', () => {
  it('fails every call within its limit, and a close too', async () => {
    proxy.refuse();
    const begun = performance.now();
    const codes = await Promise.all(
      [
        () => broker.write('q', 'x'),
        () => broker.queue('q').read(),
        () => broker.queue('q').waiter(),
        () => broker.stats(),
      ].map((call) => refusal(call)),
    );
    for (const { code } of codes) expect(['NOT_CONNECTED', 'REPLY_LOST']).toContain(code);
    await broker.close();
    expect(performance.now() - begun).toBeLessThan(8_000);
  });

  it('is waited for by a watcher that takes errors', async () => {
    const errors: Error[] = [];
    const seen: string[] = [];
    const watcher = broker.queue('q').watch({
      handler: ({ body }) => void seen.push(body),
      onError: (error) => void errors.push(error),
    });
    await eventually(() => seen.length === 3);
    proxy.refuse();
    await eventually(() => errors.length > 0);
    proxy.resume();
    await fixture.queue('q').write('4');
    await eventually(() => seen.length === 4);
    expect(errors.length).toBeLessThan(20);
    await watcher.stop();
  });

  it('ends a watcher that takes no errors when its broker is closed', async () => {
    const watcher = broker.queue('empty').watch({ handler: () => undefined });
    await broker.close();
    await watcher.done;
  });
});
