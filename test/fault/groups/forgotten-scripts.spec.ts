import { pause } from '../../contract/waiting.js';
import { payloadsOf, useGroups } from '../../engine/groups/groups-fixture.js';

// a server of its own: others want to keep their scripts
const groups = useGroups('noscript', {});

describe('a server that forgets its scripts', () => {
  test('carries out every verb, each with its effect once', async () => {
    let isOver = false;
    const flushes = (async () => {
      for (let count = 0; !isOver; count++) {
        await groups.redis.script('FLUSH');
        await pause(count % 5);
      }
    })();
    const { transport } = groups;
    for (let round = 0; round < 30; round++) {
      const group = `g${round}`;
      await Promise.all([1, 2, 3].map((n) => groups.publish(group, n)));
      const first = await groups.claimOne();
      expect(await transport.extend(first)).toBe(true);
      expect(await transport.nack(first)).toBe(true);
      const again = await groups.claimOne();
      expect(again).toMatchObject({ id: first.id, attempt: 2 });
      expect(await transport.deadLetter(again, 'no use')).toBe(true);
      expect(await transport.deadLetters.redrive(first.id)).toBe(true);
      expect(await transport.inspect(group)).toMatchObject({ depth: 3 });
      expect(payloadsOf(await groups.drain())).toEqual([2, 3, 1]);
    }
    isOver = true;
    await flushes;
    expect(await transport.stats()).toMatchObject({ backlog: 0, dead: 0 });
  });
});
