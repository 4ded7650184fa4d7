import { Exchange, type ExchangeReply } from '../../../lib/delivery/index.js';

type Answer = (reply: ExchangeReply<string>) => void;

const EMPTY = { codes: [], items: [], nextInMs: -1 };

/** A server that answers when the test says so, and a bell that the test rings. */
function open(slots: number) {
  const calls: Answer[] = [];
  const bells: (() => void)[] = [];
  const exchange = new Exchange<string, string>(
    {
      send: () => new Promise((answer) => calls.push(answer)),
      wait: () => new Promise((ring) => bells.push(ring)),
    },
    slots,
  );
  const claim = () => exchange.claim({ limit: 1, signal: new AbortController().signal });
  return { calls, bells, claim };
}

/** Lets everything that is planned for this turn and the next ones happen. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
}

describe('a ring while a claim is in the air', () => {
  /** Two claims in the air, one each call, as it is while there is work; the first finds none. */
  async function twoInTheAir() {
    const { calls, bells, claim } = open(2);
    const first = claim();
    const claims = [claim()];
    await turns();
    calls[0]({ ...EMPTY, items: ['zero'] });
    await first;
    claims.push(claim());
    await turns();
    calls[1](EMPTY);
    await turns();
    expect([calls.length, bells.length]).toEqual([3, 1]);
    return { calls, bells, claims };
  }

  test('makes the loop look again, since that claim may have looked before the ring', async () => {
    const { calls, bells, claims } = await twoInTheAir();
    bells[0]();
    await turns();
    calls[2](EMPTY); // looked when there was nothing yet
    await turns();
    expect([calls.length, bells.length]).toEqual([5, 1]);
    calls[3]({ ...EMPTY, items: ['one'] });
    calls[4]({ ...EMPTY, items: ['two'] });
    expect((await Promise.all(claims)).flat().sort()).toEqual(['one', 'two']);
  });

  test('and does not keep it from waiting once nothing is there after the ring', async () => {
    const { calls, bells } = await twoInTheAir();
    bells[0]();
    await turns();
    calls[2](EMPTY);
    await turns();
    for (const answer of calls.slice(3)) answer(EMPTY);
    await turns();
    expect(bells).toHaveLength(2);
  });
});

describe('idle slots', () => {
  test('ask in one call for all of them', async () => {
    const { calls, claim } = open(5);
    for (let slot = 0; slot < 5; slot++) void claim();
    await turns();
    expect(calls).toHaveLength(1);
    calls[0](EMPTY);
    await turns();
    expect(calls).toHaveLength(1);
  });
});
