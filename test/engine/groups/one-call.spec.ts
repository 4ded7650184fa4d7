import { commandsDuring } from '../../support/commands.js';
import { useGroups } from './groups-fixture.js';

const groups = useGroups('one-call', {});

/** The commands that clients send to this topic while `work` runs. */
const commands = (work: () => Promise<unknown>) =>
  commandsDuring(groups.url, work, (command) =>
    command.some((part) => part.startsWith(`${groups.prefix}:`)),
  );

describe('one script call', () => {
  beforeEach(async () => {
    // opens the connection and teaches the server the scripts
    await groups.publish('warm', 1);
    const message = await groups.claimOne();
    await groups.transport.extend(message);
    await groups.transport.ack(message);
  });

  test.each<[string, () => Promise<unknown>]>([
    ['publish', () => groups.publish('g', 2)],
    ['a claim', () => groups.transport.claim()],
    ['a claim of many groups', () => groups.transport.claim({ limit: 100 })],
    ['a claim that finds nothing', () => groups.transport.topic('empty').claim()],
  ])('is enough for %s', async (_, work) => {
    await groups.publish('g', 1);
    const sent = await commands(work);
    expect(sent.map(([name]) => name)).toEqual(['evalsha']);
  });

  test.each<[string, (message: { group: string; token: string }) => Promise<unknown>]>([
    ['ack', (message) => groups.transport.ack(message)],
    ['nack', (message) => groups.transport.nack(message, { delayMs: 5 })],
    ['release', (message) => groups.transport.release(message)],
    ['extend', (message) => groups.transport.extend(message)],
    ['a dead letter', (message) => groups.transport.deadLetter(message, 'no use')],
  ])('is enough for %s', async (_, work) => {
    await groups.publish('g', 1);
    const message = await groups.claimOne();
    const sent = await commands(() => work(message));
    expect(sent.map(([name]) => name)).toEqual(['evalsha']);
  });

  test('settles and claims what comes next', async () => {
    for (const group of ['a', 'b', 'c', 'd']) await groups.publishAll(group, [1, 2]);
    const source = groups.engine.source(groups.target({ slots: 40 }));
    const { signal } = new AbortController();
    const held = await source.claim({ limit: 4, signal });
    expect(held).toHaveLength(4);
    const sent = await commands(async () => {
      const acks = held.map((delivery) => delivery.ack());
      const next = await source.claim({ limit: 4, signal });
      expect(next).toHaveLength(4);
      await Promise.all(acks);
    });
    expect(sent.map(([name]) => name)).toEqual(['evalsha']);
    await source.close();
  });

  test('holds the publishes of one tick', async () => {
    const publishing = () => Promise.all([1, 2, 3, 4, 5].map((n) => groups.publish(`g${n}`, n)));
    expect(await commands(publishing)).toHaveLength(1);
  });

  test('drains a batch of one group', async () => {
    await groups.publishAll('g', [...Array(20).keys()]);
    const source = groups.engine.source(groups.target({ groupBatch: 20 }));
    const { signal } = new AbortController();
    const [first] = await source.claim({ limit: 1, signal });
    const sent = await commands(async () => {
      const acks = [first.ack()];
      for (let n = 1; n < 20; n++) {
        const [delivery] = await source.claim({ limit: 1, signal });
        expect(delivery.message.payload).toBe(n);
        acks.push(delivery.ack());
      }
      await Promise.all(acks);
    });
    expect(sent).toHaveLength(1);
    expect(await groups.transport.depth()).toBe(0);
    await source.close();
  });
});
