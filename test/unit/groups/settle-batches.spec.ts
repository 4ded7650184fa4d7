import { codesInOrder } from '../../../lib/delivery/index.js';
import { outcomeArguments, type GroupOutcome } from '../../../lib/groups/outcome.js';

const outcome = (verb: GroupOutcome['verb'], token: string, done: number): GroupOutcome => ({
  verb,
  group: `g${token}`,
  token,
  done,
  delayMs: 5,
  reason: 'why',
});

describe('the outcomes of one settle call', () => {
  test('say acks first', () => {
    const batch = outcomeArguments([
      outcome('ack', '7', 1),
      outcome('retry', '8', 0),
      outcome('ack', '9', 3),
      outcome('last', '6', 2),
    ]);
    expect([batch.acks, batch.others]).toEqual([2, 2]);
    expect(batch.outcomes).toEqual([
      ...['g7', '7', '1'],
      ...['g9', '9', '3'],
      ...['retry', 'g8', '8', '0', '5', 'why'],
      ...['last', 'g6', '6', '2', '5', 'why'],
    ]);
  });

  test('get their codes back in the order in which they were given', () => {
    const outcomes = [
      outcome('retry', '8', 0),
      outcome('ack', '7', 1),
      outcome('ack', '9', 1),
      outcome('release', '5', 0),
      outcome('ack', '7', 2),
    ];
    // the three acks, then retry of 8 and release of 5
    expect(codesInOrder(outcomes, [10, 11, 12, 20, 21])).toEqual([20, 10, 11, 21, 12]);
  });

  test('may be none', () => {
    expect(outcomeArguments([])).toMatchObject({ acks: 0, others: 0, outcomes: [] });
  });
});
