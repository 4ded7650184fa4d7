import { jest } from '@jest/globals';
import { useGroups } from '../../engine/groups/groups-fixture.js';

const groups = useGroups('clocks');
const hostClock = Date.now.bind(Date);

afterEach(() => jest.restoreAllMocks());

describe.each([
  ['five minutes ahead', 300_000],
  ['five minutes behind', -300_000],
])('a host whose clock is %s', (_, skewMs) => {
  beforeEach(() => {
    jest.spyOn(Date, 'now').mockImplementation(() => hostClock() + skewMs);
  });

  test('takes no live lease, and waits neither too long nor too short', async () => {
    await groups.publish('g', 1);
    const held = await groups.claimOne({ leaseMs: 5_000 });
    expect(await groups.process().transport.claim()).toEqual([]);
    expect(await groups.transport.extend(held)).toBe(true);
    const at = performance.now();
    await groups.transport.nack(held, { delayMs: 120 });
    const again = await groups.claimOne({ waitMs: 10_000 });
    expect(performance.now() - at).toBeGreaterThanOrEqual(118);
    expect(performance.now() - at).toBeLessThan(2_000);
    expect(again.attempt).toBe(2);
  });

  test('tells times of the server', async () => {
    const before = await groups.now();
    await groups.publish('g', 1);
    const message = await groups.claimOne();
    await groups.transport.deadLetter(message, 'no use');
    const after = await groups.now();
    const [letter] = await groups.transport.deadLetters.list();
    for (const time of [message.enqueuedAt, letter.deadAt]) {
      expect(time).toBeGreaterThanOrEqual(before);
      expect(time).toBeLessThanOrEqual(after);
    }
  });
});
