import { startServer, type TestServer } from '../../support/redis-server.js';
import { BrokerFixture } from './broker-fixture.js';
import { Holder } from './holder.js';

// counts need a server to themselves
let server: TestServer;
let fixture: BrokerFixture;

beforeAll(async () => {
  server = await startServer();
  fixture = new BrokerFixture('broker-costs', server.url);
});
afterAll(async () => {
  await fixture.end();
  await server.stop();
});
beforeEach(() => fixture.open());
afterEach(() => fixture.close());

/** Calls of all commands, those inside scripts too, but for the ones of this measurement. */
async function calls(): Promise<number> {
  const lines = (await fixture.redis.info('commandstats')).split('\n');
  const counted = lines.filter((line) => !/cmdstat_(info|client\||hello|ping)/.test(line));
  return counted.reduce((sum, line) => sum + Number(/calls=(\d+)/.exec(line)?.[1] ?? 0), 0);
}

/** What the server does for it; once before, so that the connection is there and the script known. */
async function cost(work: () => Promise<unknown>): Promise<number> {
  await work();
  const before = await calls();
  await work();
  return (await calls()) - before;
}

const VERBS: readonly (readonly [string, (name: string) => Promise<unknown>])[] = [
  ['hasPending', (name) => fixture.queue(name).hasPending()],
  ['latestId', (name) => fixture.queue(name).latestId()],
  ['read', (name) => fixture.queue(name).read()],
  ['move', (name) => fixture.queue(name).move('aside')],
  ['find', (name) => fixture.queue(name).find('nowhere')],
  ['peek', (name) => fixture.queue(name).peek()],
  ['stats', (name) => fixture.queue(name).stats()],
  ['keepNewest', (name) => fixture.queue(name).write('x', { keepNewest: 9_000 })],
];

it.each(VERBS)('5,000 reserved messages cost %s nothing', async (_, verb) => {
  await fixture.queue('q').writeMany(Array.from({ length: 5_000 }, (_, n) => `${n}`));
  const bounds = { guarantee: 'at-least-once', batchSize: 5_000 } as const;
  const reading = fixture.queue('q').readAll(bounds);
  await reading.next();
  for (const name of ['q', 'r']) await fixture.queue(name).writeMany(['1', '2', '3', '4']);
  const others = await cost(() => verb('r'));
  expect((await cost(() => verb('q'))) - others).toBeLessThan(10);
  await reading.return();
});

it.each(VERBS)('5,000 messages under lease cost %s nothing', async (_, verb) => {
  await fixture.queue('q').writeMany(Array.from({ length: 5_000 }, (_, n) => `${n}`));
  const holder = new Holder(fixture).open();
  const terms = { queue: 'q', outcomes: [], leaseMs: 60_000, attempts: 1 };
  for (let count = 0; count < 5_000; count += 1_000) {
    const keepDead = { count: 1, ageMs: 0 };
    await holder.backend.holds.settle({ ...terms, keepDead, limit: 1_000 });
  }
  for (const name of ['q', 'r']) await fixture.queue(name).writeMany(['1', '2', '3', '4']);
  const others = await cost(() => verb('r'));
  expect((await cost(() => verb('q'))) - others).toBeLessThan(10);
  await holder.close();
});

it('a clean-up of 2,100 queues is one step', async () => {
  const queues = Array.from({ length: 2_100 }, (_, n) => `q${n}`);
  const broker = fixture.another({ autoVacuum: false });
  await broker.broadcast('x', { queues, createMissing: true });
  await fixture.redis.config('RESETSTAT');
  expect(await broker.cleanUp()).toBe(true);
  const stats = await fixture.redis.info('commandstats');
  const sent = [...stats.matchAll(/cmdstat_eval(?:sha)?:calls=(\d+).*failed_calls=(\d+)/g)];
  const run = sent.reduce((sum, [, all, failed]) => sum + Number(all) - Number(failed), 0);
  expect(run).toBe(1);
  expect(await fixture.keys()).toEqual([]);
});
