import type { ClaimedMessage, GroupTransport } from '../../../lib/groups/index.js';
import { payloadsOf, useGroups } from './groups-fixture.js';

const groups = useGroups('settling');

type Settle = (transport: GroupTransport, message: ClaimedMessage) => Promise<boolean>;

const GIVE_BACK: readonly (readonly [string, Settle])[] = [
  ['nack', (t, message) => t.nack(message)],
  ['a delayed nack', (t, message) => t.nack(message, { delayMs: 60_000 })],
  ['release', (t, message) => t.release(message)],
  ['a delayed release', (t, message) => t.release(message, { delayMs: 60_000 })],
  ['deadLetter', (t, message) => t.deadLetter(message, 'no use')],
];
const ALL: typeof GIVE_BACK = [['ack', (t, message) => t.ack(message)], ...GIVE_BACK];

const batchOf = async (count: number): Promise<ClaimedMessage[]> => {
  const payloads = Array.from({ length: count }, (_, n) => n);
  await groups.publishAll('g', payloads);
  return groups.transport.claim({ groupBatch: count });
};

/** Settles, and proves that it was answered so and changed nothing. */
async function expectUnchanged(answer: boolean, settle: () => Promise<boolean>): Promise<void> {
  const before = await groups.snapshot();
  expect(await settle()).toBe(answer);
  expect(await groups.snapshot()).toEqual(before);
}

describe('a settle of a message that is not the next of its lease', () => {
  test.each(ALL)('is refused ahead of others: %s', async (_, settle) => {
    const batch = await batchOf(4);
    for (const at of [3, 2, 1])
      await expectUnchanged(false, () => settle(groups.transport, batch[at]));
    for (const message of batch) expect(await groups.transport.ack(message)).toBe(true);
    expect(await groups.transport.depth('g')).toBe(0);
  });

  test.each(ALL)('is refused beyond the lease: %s', async (_, settle) => {
    await groups.publishAll('g', [0, 1, 2, 3, 4, 5, 6]);
    const [only] = await groups.transport.claim();
    for (const position of [1, 5, 99])
      await expectUnchanged(false, () => settle(groups.transport, { ...only, position }));
    expect(payloadsOf(await groups.transport.peek('g'))).toEqual([0, 1, 2, 3, 4, 5, 6]);
  });

  test.each(ALL)('is refused beyond a batch, acked or not: %s', async (_, settle) => {
    await groups.publishAll('g', [0, 1, 2, 3, 4]);
    const batch = await groups.transport.claim({ groupBatch: 2 });
    await groups.transport.ack(batch[0]);
    for (const position of [2, 3])
      await expectUnchanged(false, () => settle(groups.transport, { ...batch[1], position }));
    expect(await groups.transport.ack(batch[1])).toBe(true);
    expect(await groups.transport.depth('g')).toBe(3);
  });

  test.each(GIVE_BACK)(
    'is refused once it was acked, and its successor stays: %s',
    async (_, settle) => {
      const batch = await batchOf(3);
      await groups.transport.ack(batch[0]);
      await expectUnchanged(false, () => settle(groups.transport, batch[0]));
      expect(await groups.transport.ack(batch[1])).toBe(true);
      expect(await groups.transport.ack(batch[2])).toBe(true);
      await expectUnchanged(false, () => settle(groups.transport, batch[2]));
    },
  );
});

describe('an ack of a batch', () => {
  test('that is repeated answers true and changes nothing', async () => {
    const [first, second] = await batchOf(3);
    const bare = { group: first.group, token: first.token };
    expect(await groups.transport.ack(bare)).toBe(true);
    await expectUnchanged(true, () => groups.transport.ack(bare));
    expect(await groups.transport.ack(second)).toBe(true);
    await expectUnchanged(true, () => groups.transport.ack(bare));
    await expectUnchanged(true, () => groups.transport.ack(first));
    expect(await groups.transport.depth('g')).toBe(1);
  });

  test('may be made for all of them at once', async () => {
    const batch = await batchOf(4);
    const answers = await Promise.all(batch.map((message) => groups.transport.ack(message)));
    expect(answers).toEqual([true, true, true, true]);
    expect(await groups.transport.depth('g')).toBe(0);
  });
});

describe('a parked batch', () => {
  const parks = GIVE_BACK.filter(([name]) => name.startsWith('a delayed'));

  test.each(parks)('lets its first message be acked and no other: %s', async (_, park) => {
    const batch = await batchOf(4);
    expect(await groups.transport.ack(batch[0])).toBe(true);
    expect(await park(groups.transport, batch[1])).toBe(true);
    for (const at of [2, 3]) await expectUnchanged(false, () => groups.transport.ack(batch[at]));
    await expectUnchanged(true, () => groups.transport.ack(batch[0])); // acked before; stays parked
    expect(await groups.transport.inspect('g')).toMatchObject({ depth: 3, parked: true });
    expect(await groups.transport.ack(batch[1])).toBe(true);
    expect(payloadsOf(await groups.drain())).toEqual([2, 3]);
  });

  test('keeps its head when the one behind it is acked', async () => {
    const batch = await batchOf(2);
    await groups.transport.nack(batch[0], { delayMs: 60_000 });
    await expectUnchanged(false, () => groups.transport.ack(batch[1]));
    await groups.lapse('g');
    await expectUnchanged(false, () => groups.transport.ack(batch[1]));
    expect(payloadsOf(await groups.drain())).toEqual([0, 1]);
  });
});

test('the calls of one topic by many transports leave one memory of acks', async () => {
  await groups.publishAll('g', [1, 2, 3]);
  for (let n = 0; n < 3; n++) {
    const transport = groups.transport.topic('default').topic(groups.topic);
    const [message] = await transport.claim();
    expect(await transport.ack(message)).toBe(true);
  }
  const memories = (await groups.keys()).filter((key) => key.startsWith('settled:'));
  expect(memories).toHaveLength(1);
});
