import { payloadsOf, refusal, useGroups } from './groups-fixture.js';

const groups = useGroups('dead');

const limited = () => groups.process({ maxAttempts: 3 }).transport;

describe('attempts', () => {
  test('rise with every claim, those that a crash ended too', async () => {
    await groups.publish('g', 1);
    for (const attempt of [1, 2, 3, 4]) {
      expect(await groups.claimOne()).toMatchObject({ attempt });
      await groups.lapse('g');
    }
  });

  test('are without a limit unless one is set', async () => {
    await groups.publish('g', 1);
    for (let n = 0; n < 20; n++) await groups.transport.nack(await groups.claimOne());
    expect(await groups.claimOne()).toMatchObject({ attempt: 21 });
  });

  test('of a message that kills its holder end with a dead letter, and the group goes on', async () => {
    const transport = limited();
    await groups.publishAll('g', ['poison', 'good']);
    for (let n = 0; n < 3; n++) {
      expect((await transport.claim())[0]).toMatchObject({ payload: 'poison', attempt: n + 1 });
      await groups.lapse('g');
    }
    expect((await transport.claim())[0]).toMatchObject({ payload: 'good', attempt: 1 });
    const [letter] = await transport.deadLetters.list();
    expect(letter).toMatchObject({ payload: 'poison', group: 'g', attempts: 3 });
    expect(letter.reason).toContain('no attempt is left');
  });

  test('that end with the last message of a group leave no group', async () => {
    const transport = limited();
    await groups.publish('g', 'poison');
    for (let n = 0; n < 3; n++) {
      await transport.claim();
      await groups.lapse('g');
    }
    expect(await transport.claim()).toEqual([]);
    expect(await transport.inspect('g')).toBe(null);
    expect(await transport.stats()).toMatchObject({ dead: 1, backlog: 0 });
  });

  test('that are used up by a nack end at once, with its reason', async () => {
    const transport = limited();
    await groups.publishAll('g', ['bad', 'good']);
    for (let n = 0; n < 3; n++) {
      const [message] = await transport.claim();
      const reason = new Error(`failure ${n + 1}`);
      expect(await transport.nack(message, { delayMs: 0, reason })).toBe(true);
    }
    expect(await transport.deadLetters.list()).toMatchObject([
      { payload: 'bad', reason: 'failure 3', attempts: 3 },
    ]);
    expect((await transport.claim())[0]).toMatchObject({ payload: 'good', attempt: 1 });
  });
});

describe('dead letters', () => {
  const bury = async (payload: unknown, group = 'g') => {
    const id = await groups.publish(group, payload, { headers: { trace: 't' }, priority: 2 });
    const message = await groups.claimOne();
    expect(await groups.transport.deadLetter(message, 'no use')).toBe(true);
    return id;
  };

  test('keep everything about their message', async () => {
    const before = await groups.now();
    const id = await bury({ n: 1 });
    const [letter] = await groups.transport.deadLetters.list();
    expect(letter).toEqual({
      id,
      group: 'g',
      priority: 2,
      payload: { n: 1 },
      headers: { trace: 't' },
      attempts: 1,
      reason: 'no use',
      deadAt: expect.any(Number) as number,
    });
    expect(letter.deadAt).toBeGreaterThanOrEqual(before);
  });

  test('are redriven to the tail of their group, with no attempt spent', async () => {
    const id = await bury('first');
    await groups.publish('g', 'second');
    expect(await groups.transport.deadLetters.redrive(id)).toBe(true);
    const again = await groups.drain();
    expect(payloadsOf(again)).toEqual(['second', 'first']);
    expect(again[1]).toMatchObject({ id, attempt: 1, headers: { trace: 't' } });
    expect(await groups.transport.deadLetters.count()).toBe(0);
  });

  test('bring their tier back when their group has drained', async () => {
    const id = await bury('only');
    await groups.transport.deadLetters.redrive(id);
    expect(await groups.claimOne({ minPriority: 2 })).toMatchObject({ id, priority: 2 });
  });

  test('stay within their limits', async () => {
    const { transport } = groups.process({ keepDead: { count: 3 } });
    for (let n = 0; n < 6; n++) {
      await groups.publish('g', n);
      const [message] = await transport.claim();
      await transport.deadLetter(message, 'no use');
    }
    expect(payloadsOf(await transport.deadLetters.list())).toEqual([5, 4, 3]);
    expect(await groups.redis.hlen(groups.key('letters'))).toBe(3);
  });

  test('that are too old go with the next burial', async () => {
    const { transport } = groups.process({ keepDead: { ageMs: 60_000 } });
    const old = await bury('old');
    await groups.redis.zadd(groups.key('dead'), 1, old);
    await groups.publish('g', 'new');
    await transport.deadLetter((await transport.claim())[0], 'no use');
    expect(payloadsOf(await transport.deadLetters.list())).toEqual(['new']);
  });

  test('are not made by a late holder', async () => {
    await groups.publish('g', 1);
    const late = await groups.claimOne();
    await groups.lapse('g');
    expect(await groups.transport.deadLetter(late, 'late')).toBe(false);
    expect(await groups.transport.deadLetters.count()).toBe(0);
  });

  test.each([[{ limit: 0 }], [{ limit: 501 }], [{ offset: -1 }], [{ page: 1 }]])(
    'refuse the page %j',
    async (page) => {
      const list = () => groups.transport.deadLetters.list(page as object);
      expect(await refusal(list)).toMatchObject({ code: 'INVALID_OPTION' });
    },
  );
});
