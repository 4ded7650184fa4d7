import { useGroups } from './groups-fixture.js';

// a server of its own, since its counters are read
const groups = useGroups('growth', {});

/** What the server ran since the last look, scripts and what they called: command -> calls. */
async function commandsRun(): Promise<Map<string, number>> {
  const stats = await groups.redis.info('commandstats');
  const found = [...stats.matchAll(/^cmdstat_([^:]+):calls=(\d+)/gm)];
  await groups.redis.config('RESETSTAT');
  const own = ['info', 'config', 'config|resetstat', 'client', 'client|list'];
  return new Map(
    found
      .map(([, name, calls]) => [name, Number(calls)] as const)
      .filter(([name]) => !own.includes(name)),
  );
}

/** What 100 claims, each with the ack of the message before, cost in this topic. */
async function costOf(count: number, messagesEach: number): Promise<Map<string, number>> {
  groups.open();
  const messages = Array.from({ length: count * messagesEach }, (_, n) => ({
    group: `g${n % count}`,
    payload: n,
    priority: (n % count) % 3,
  }));
  for (let at = 0; at < messages.length; at += 5_000)
    await groups.transport.publishMany(messages.slice(at, at + 5_000));
  const source = groups.engine.source(groups.target());
  const { signal } = new AbortController();
  let [held] = await source.claim({ limit: 1, signal });
  await commandsRun();
  for (let n = 0; n < 100; n++) {
    const settled = held.ack();
    [held] = await source.claim({ limit: 1, signal });
    await settled;
  }
  const cost = await commandsRun();
  await held.release();
  await source.close();
  return cost;
}

describe('what a claim costs', () => {
  test('is one script call and the same commands, however many groups and messages wait', async () => {
    const small = await costOf(10, 20);
    const many = await costOf(5_000, 4);
    const deep = await costOf(10, 2_000);
    expect(small.get('evalsha')).toBe(100);
    expect([...many]).toEqual([...small]);
    expect([...deep]).toEqual([...small]);
    for (const name of ['scan', 'keys', 'hgetall', 'hscan', 'zscan', 'smembers', 'sort'])
      expect(small.has(name)).toBe(false);
    const inside = [...small.values()].reduce((sum, calls) => sum + calls, 0) / 100;
    expect(inside).toBeLessThan(40);
  }, 60_000);

  test('of 50 groups at once is one script call, too', async () => {
    const messages = Array.from({ length: 200 }, (_, n) => ({ group: `g${n}`, payload: n }));
    await groups.transport.publishMany(messages);
    await commandsRun();
    expect(await groups.transport.claim({ limit: 50 })).toHaveLength(50);
    expect((await commandsRun()).get('evalsha')).toBe(1);
  });
});
