import { codesInOrder } from '../../../lib/delivery/index.js';
import { settleArguments, type JobOutcome } from '../../../lib/jobs/outcome.js';
import { JOBS_DEFAULTS } from '../../../lib/jobs/index.js';

const TERMS = { limit: 3, leaseMs: 1_000, attempts: 5, types: ['a', 'b'] };
const ack = (id: string): JobOutcome => ({ verb: 'ack', id, token: '1', result: `=${id}` });
const fail = (id: string): JobOutcome => ({ verb: 'fail', id, token: '2', delayMs: 0, reason: id });
const retry = (id: string): JobOutcome => ({
  verb: 'retry',
  id,
  token: '3',
  delayMs: 50,
  reason: '',
});

test('acks travel first, then the other outcomes, then the types', () => {
  const outcomes = [fail('f1'), ack('a1'), retry('r1'), ack('a2')];
  expect(settleArguments(outcomes, TERMS, JOBS_DEFAULTS)).toMatchObject({
    done: 2,
    ended: 2,
    limit: 3,
    leaseMs: 1_000,
    attempts: 5,
    outcomesAndTypes: [
      ...['a1', '1', '=a1', 'a2', '1', '=a2'],
      ...['fail', 'f1', '2', '0', 'f1', 'retry', 'r1', '3', '50', ''],
      ...['a', 'b'],
    ],
  });
});

test('every code finds its outcome again', () => {
  const outcomes = [fail('f1'), ack('a1'), retry('r1'), ack('a2'), ack('a3'), fail('f2')];
  const codes = ['a1', 'a2', 'a3', 'f1', 'r1', 'f2'].map((_, at) => at);
  expect(codesInOrder(outcomes, codes)).toEqual([3, 0, 4, 1, 2, 5]);
  expect(codesInOrder([], [])).toEqual([]);
  expect(codesInOrder([ack('a'), ack('b')], [1, 0])).toEqual([1, 0]);
});
