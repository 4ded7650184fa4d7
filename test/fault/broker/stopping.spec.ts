import { createBrokerEngine } from '../../../lib/broker/index.js';
import { RedisConnection } from '../../../lib/redis/index.js';
import { Promoter } from '../../../lib/upkeep/index.js';
import { RecordingLogger } from '../../contract/logs.js';
import { BrokerFixture } from '../../engine/broker/broker-fixture.js';
import { eventually } from '../../support/eventually.js';
import { startServer, type TestServer } from '../../support/redis-server.js';

// a server of its own, since this makes it refuse everything that changes something
let server: TestServer;
let fixture: BrokerFixture;

beforeAll(async () => {
  server = await startServer();
  fixture = new BrokerFixture('broker-stopping', server.url);
  fixture.open();
});

afterAll(async () => {
  await fixture.close();
  await fixture.end();
  await server.stop();
});

describe('while the server refuses for a while', () => {
  it('upkeep is stopped at once, not after all its retries', async () => {
    const { url, prefix, namespace } = fixture;
    const logger = new RecordingLogger();
    const connection = new RedisConnection({ connection: { url } });
    const { engine } = createBrokerEngine({ connection, prefix, logger, options: { namespace } });
    const target = { queue: 'q', slots: 1, leaseMs: 30_000, attempts: 3 };
    await fixture.queue('q').write('x');
    const { signal } = new AbortController();
    const source = engine.source(target);
    const [delivery] = await source.claim({ limit: 1, signal });
    await fixture.lapse('q');
    await fixture.redis.replicaof('127.0.0.1', '1');
    const refused = async () =>
      (await fixture.redis.info('errorstats')).includes('errorstat_READONLY');
    const promoter = new Promoter({ logger });
    promoter.add(engine.upkeep(target)[0]);
    promoter.start();
    await eventually(refused);
    const begun = performance.now();
    await promoter.stop();
    expect(performance.now() - begun).toBeLessThan(5_000);
    await fixture.redis.replicaof('NO', 'ONE');
    await delivery.ack().catch(() => undefined);
    await source.close();
    await connection.close();
  }, 60_000);
});
