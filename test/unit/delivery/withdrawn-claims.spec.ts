import { once } from 'node:events';
import { Exchange, type ExchangeReply } from '../../../lib/delivery/index.js';

interface Sent {
  readonly outcomes: readonly string[];
  readonly signal: AbortSignal | undefined;
  readonly answer: (reply: ExchangeReply<string>) => void;
  readonly fail: (error: Error) => void;
}

const EMPTY = { codes: [], items: [], nextInMs: -1 };

/** A server whose calls the test ends. */
function open(slots = 2) {
  const calls: Sent[] = [];
  const exchange = new Exchange<string, string>(
    {
      send: (outcomes, _, signal) =>
        new Promise((answer, fail) => calls.push({ outcomes, signal, answer, fail })),
      wait: (_, signal) => once(signal, 'abort').then(() => undefined),
    },
    slots,
  );
  const claim = () => {
    const asking = new AbortController();
    const items = exchange.claim({ limit: 1, signal: asking.signal });
    return { withdraw: () => asking.abort(), items };
  };
  return { calls, exchange, claim };
}

async function turns(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
}

test('a call that settles nothing hears when the last claim is withdrawn, and not before', async () => {
  const { calls, claim } = open();
  const [one, other] = [claim(), claim()];
  await turns();
  one.withdraw();
  expect(calls[0].signal?.aborted).toBe(false);
  other.withdraw();
  expect(calls[0].signal?.aborted).toBe(true);
  calls[0].fail(new Error('the wait for the connection was ended'));
  expect(await Promise.all([one.items, other.items])).toEqual([[], []]);
});

test('a call that settles something is seen through', async () => {
  const { calls, exchange, claim } = open();
  const one = claim();
  const settled = exchange.settle('done');
  await turns();
  one.withdraw();
  expect(calls[0]).toMatchObject({ outcomes: ['done'], signal: undefined });
  calls[0].answer({ ...EMPTY, codes: [1] });
  expect([await settled, await one.items]).toEqual([1, []]);
});

test('a claim after that is asked for anew, and is not told of what is over', async () => {
  const { calls, claim } = open();
  const first = claim();
  await turns();
  first.withdraw();
  calls[0].answer(EMPTY);
  expect(await first.items).toEqual([]);
  const second = claim();
  await turns();
  expect(calls[1].signal?.aborted).toBe(false);
  calls[1].answer({ ...EMPTY, items: ['x'] });
  expect(await second.items).toEqual(['x']);
});

test('served claims do not count as withdrawn', async () => {
  const { calls, claim } = open();
  const first = claim();
  await turns();
  const { signal } = calls[0];
  calls[0].answer({ ...EMPTY, items: ['x'] });
  await first.items;
  await turns();
  expect(signal?.aborted).toBe(false);
});
