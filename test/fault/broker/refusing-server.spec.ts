import { BrokerFixture, bodiesOf, refusal } from '../../engine/broker/broker-fixture.js';
import { startServer, type TestServer } from '../../support/redis-server.js';

// a server of its own, since these tests take its memory away
let server: TestServer;
let fixture: BrokerFixture;

beforeAll(async () => {
  server = await startServer();
  fixture = new BrokerFixture('broker-refusing', server.url);
});

afterAll(async () => {
  await fixture.end();
  await server.stop();
});

beforeEach(() => fixture.open());
afterEach(async () => {
  await fixture.redis.config('SET', 'maxmemory', '0');
  await fixture.close();
});

describe('a server without memory', () => {
  it('refuses what would need some, with nothing changed, and takes it later', async () => {
    await fixture.queue('q').writeMany(['1', '2', '3']);
    await fixture.broker.queue('q').find('any');
    const held = fixture.queue('q').readAll({ guarantee: 'at-least-once', batchSize: 1 });
    await held.next();
    const before = await fixture.snapshot();
    await fixture.redis.config('SET', 'maxmemory', '1');
    const calls: readonly (() => Promise<unknown>)[] = [
      () => fixture.broker.write('q', 'x'),
      () => fixture.broker.write('q', 'x', { keepNewest: 9 }),
      () => fixture.broker.insert([{ queue: 'q', id: 5n, body: 'x' }]),
      () => fixture.broker.broadcast('x'),
      () => fixture.broker.ids.generate(),
      () => fixture.broker.aliases.add('a', 'q'),
      () => fixture.queue('q').read(),
      () => fixture.queue('q').move('r'),
      () => fixture.queue('q').readAll({ guarantee: 'at-least-once' }).next(),
    ];
    for (const call of calls) {
      expect(await refusal(call)).toEqual({ code: 'OPERATION_FAILED', retryable: true });
    }
    expect(await fixture.snapshot()).toEqual(before);
    await fixture.redis.config('SET', 'maxmemory', '0');
    await held.return();
    for (const call of calls.slice(0, 3)) await call();
    expect(bodiesOf(await fixture.queue('q').peekMany())).toEqual(['x', '1', '2', '3', 'x', 'x']);
  });
});

describe('a server that is a replica', () => {
  it('is refused for a while, then works again', async () => {
    await fixture.queue('q').write('1');
    await fixture.redis.replicaof('127.0.0.1', '1');
    const writing = fixture.queue('q').write('2');
    setTimeout(() => void fixture.redis.replicaof('NO', 'ONE'), 300);
    await writing;
    expect(bodiesOf(await fixture.queue('q').peekMany())).toEqual(['1', '2']);
  });
});
