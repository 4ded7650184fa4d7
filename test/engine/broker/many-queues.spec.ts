import { useBroker } from './broker-fixture.js';

const fixture = useBroker('broker-many');
const QUEUES = 500;
const EACH = 200;

describe('500 queues with 100,000 messages', () => {
  it('are written, listed, read, moved and deleted', async () => {
    const broker = fixture.another({ autoVacuum: false });
    const names = Array.from({ length: QUEUES }, (_, n) => `queue-${String(n).padStart(3, '0')}`);
    await Promise.all(
      names.map((name, at) =>
        broker.queue(name).writeMany(Array.from({ length: EACH }, (_, n) => `${at}:${n}`)),
      ),
    );
    expect(await broker.stats()).toMatchObject({ queues: QUEUES, pending: QUEUES * EACH });
    const listed = await broker.listQueues();
    expect(listed.map(({ queue }) => queue)).toEqual(names);
    expect(listed.every(({ pending }) => pending === EACH)).toBe(true);
    expect(await broker.listQueues({ prefix: 'queue-12' })).toHaveLength(10);
    expect(await broker.listQueues({ pattern: 'queue-[!0]*' })).toHaveLength(400);

    const read = await broker.queue(names[7]).readMany({ limit: EACH });
    expect(read.map(({ body }) => body)).toEqual(Array.from({ length: EACH }, (_, n) => `7:${n}`));
    expect(await broker.queue(names[8]).moveMany(names[9], { limit: 1_000 })).toHaveLength(EACH);
    expect(await broker.broadcast('last')).toBe(QUEUES - 1);
    expect(await broker.vacuum()).toBe(EACH);
    expect(await broker.deleteQueues(names.slice(0, 250))).toBe(250 * (EACH + 1) - EACH - 1);
    expect(await broker.cleanUp()).toBe(true);
    expect(await fixture.keys()).toEqual([]);
  }, 120_000);
});
