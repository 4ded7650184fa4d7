import { collect, idsOf, useBroker } from './broker-fixture.js';

const fixture = useBroker('broker-bodiless');

/** Messages by id, of which these have lost their bodies. */
const damage = async (...ids: number[]): Promise<void> => {
  const texts = ids.map((id) => `${id}`.padStart(19, '0'));
  await fixture.redis.hdel(fixture.key('bodies'), ...texts);
  fixture.isDamaged = true;
};

/** Pages of a look, each behind the last message of the one before. */
const pages = async (order: 'oldest' | 'newest', limit: number): Promise<bigint[]> => {
  const found: bigint[] = [];
  for (;;) {
    const from = found.at(-1);
    const bound = from === undefined ? {} : { [order === 'oldest' ? 'after' : 'before']: from };
    const page = await fixture
      .queue('q')
      .peekMany({ limit, order, includeClaimed: true, ...bound });
    if (page.length === 0) return found;
    found.push(...idsOf(page));
  }
};

describe('a row without a body', () => {
  it.each([1, 2, 3, 4])('hides no other from pages of %p', async (limit) => {
    await fixture.insert('q', 2, 4, 7);
    const reading = fixture.queue('q').readAll({ guarantee: 'at-least-once' });
    await reading.next();
    await fixture.insert('q', 1, 3, 5, 6, 8, 9);
    await fixture.queue('q').read({ id: 6n });
    await damage(1, 5, 9);
    const whole = [2n, 3n, 4n, 6n, 7n, 8n];
    expect(await pages('oldest', limit)).toEqual(whole);
    expect(await pages('newest', limit)).toEqual(whole.toReversed());
    await reading.return();
  });

  it('hides no other from a dump', async () => {
    await fixture.insert('q', 2, 4);
    const reading = fixture.queue('q').readAll({ guarantee: 'at-least-once' });
    await reading.next();
    await fixture.insert('q', 1, 3, 5);
    await damage(1);
    const lines = (await collect(fixture.broker.dump())).map((line) => JSON.parse(line) as object);
    expect(lines.filter((line) => 'id' in line)).toHaveLength(4);
    await reading.return();
  });

  it('is taken out by whatever comes across it, and is never handed out', async () => {
    await fixture.insert('q', 1, 2, 3, 4, 5, 6);
    await fixture.queue('q').read({ id: 6n });
    await damage(1, 3, 5, 6);
    expect(await fixture.queue('q').hasPending()).toBe(true);
    expect(await fixture.queue('q').latestId()).toBe(4n);
    expect(await fixture.queue('q').read()).toMatchObject({ id: 2n });
    expect(await fixture.queue('q').stats()).toMatchObject({ pending: 3 });
    const all = { limit: 9, requireUnclaimed: false };
    expect(idsOf(await fixture.queue('q').moveMany('r', all))).toEqual([2n, 4n]);
    expect(await fixture.queue('q').exists()).toBe(false);
    expect(await fixture.queue('r').stats()).toMatchObject({ pending: 1, claimed: 1 });
  });

  it('counts as none for who looks whether something waits', async () => {
    const ids = Array.from({ length: 250 }, (_, n) => n + 1);
    await fixture.insert('q', ...ids);
    await damage(...ids.slice(0, 240), ...ids.slice(245));
    expect(await fixture.queue('q').hasPending()).toBe(true);
    expect(await fixture.queue('q').hasPending({ after: 245n })).toBe(false);
    expect(await fixture.queue('q').latestId()).toBe(245n);
  });
});
