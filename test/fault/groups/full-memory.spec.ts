import { payloadsOf, useGroups } from '../../engine/groups/groups-fixture.js';

const groups = useGroups('full', {});

/** The server refuses whatever needs memory until `makeRoom`. */
const fill = () => groups.redis.config('SET', 'maxmemory', '1');
const makeRoom = () => groups.redis.config('SET', 'maxmemory', '0');

beforeAll(() => groups.redis.config('SET', 'maxmemory-policy', 'noeviction'));
afterEach(makeRoom);

describe('a server without memory', () => {
  test('refuses publishes and claims with nothing changed', async () => {
    await groups.publish('g', 1);
    const before = await groups.snapshot();
    await fill();
    const refused = { code: 'OPERATION_FAILED', retryable: true, outcomeAmbiguous: false };
    await expect(groups.publish('h', 2)).rejects.toMatchObject(refused);
    await expect(groups.transport.claim()).rejects.toMatchObject(refused);
    const outcomes = await groups.transport.publishMany([
      { group: 'g', payload: 3 },
      { group: 'h', payload: 4 },
    ]);
    for (const outcome of outcomes) expect(outcome).toMatchObject({ error: refused });
    await makeRoom();
    expect(await groups.snapshot()).toEqual(before);
  });

  test('lets everything through that ends a run', async () => {
    const names = ['ack', 'nack', 'park', 'release', 'dead'];
    for (const name of names) await groups.publishAll(name, [name, 'next']);
    const held = await groups.transport.claim({ limit: 5 });
    const of = (name: string) => held.find(({ group }) => group === name)!;
    await fill();
    expect(await groups.transport.ack(of('ack'))).toBe(true);
    expect(await groups.transport.nack(of('nack'))).toBe(true);
    expect(await groups.transport.nack(of('park'), { delayMs: 60_000 })).toBe(true);
    expect(await groups.transport.release(of('release'))).toBe(true);
    expect(await groups.transport.deadLetter(of('dead'), 'no use')).toBe(true);
    await makeRoom();
    expect(await groups.transport.audit()).toEqual([]);
    const left = payloadsOf(await groups.drain({ limit: 10 }));
    expect(left.sort()).toEqual(['nack', 'next', 'next', 'next', 'next', 'release']);
    await groups.lapse('park');
    expect(payloadsOf(await groups.drain())).toEqual(['park', 'next']);
    expect(await groups.transport.deadLetters.count()).toBe(1);
  });

  test('lets leases be extended and batches go on', async () => {
    await groups.publishAll('g', [1, 2, 3]);
    const batch = await groups.transport.claim({ groupBatch: 3 });
    await fill();
    expect(await groups.transport.extend(batch[0])).toBe(true);
    for (const message of batch) expect(await groups.transport.ack(message)).toBe(true);
    await makeRoom();
    expect(await groups.transport.depth()).toBe(0);
  });
});
