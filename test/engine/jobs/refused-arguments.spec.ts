import type { ClaimedJob, NewJob } from '../../../lib/jobs/index.js';
import { refusal, useJobs } from './jobs-fixture.js';

const jobs = useJobs('refused');

const NO_NUMBERS = [NaN, Infinity, -Infinity, 1.5, '1200', null, new Date(0), {}, [], true, 10n];
const NO_NAMES = ['', 'x\n', '\0', 'a\u0085b', '\ud83d', 'x'.repeat(513), 'é'.repeat(257), 7, null];
const NO_RECORDS = [null, 'text', 7, [], new Date(0), new Map()];

const circular: Record<string, unknown> = {};
circular.self = circular;

/** [what it is about, the option that the error names, wrong values] */
const WRONG_FIELDS: readonly (readonly [keyof NewJob, readonly unknown[]])[] = [
  ['type', [...NO_NAMES, undefined]],
  ['id', NO_NAMES],
  ['coalesceBy', NO_NAMES],
  ['priority', [...NO_NUMBERS, 2 ** 53]],
  ['delayMs', [...NO_NUMBERS, -1, -Date.now() - 1, 2 ** 53, 101 * 365 * 86_400_000]],
  ['notBefore', [...NO_NUMBERS, -1, 2 ** 53]],
  ['maxAttempts', [...NO_NUMBERS, 0, -1, 1e9]],
  ['headers', NO_RECORDS],
];

const enqueueCases = WRONG_FIELDS.flatMap(([option, values]) =>
  values.map((value) => ({ option, value, shown: show(value) })),
);

describe('enqueue', () => {
  test.each(enqueueCases)('refuses $option $shown', async ({ option, value }) => {
    const job = { type: 'work', payload: 1, [option]: value } as NewJob;
    for (const call of [
      () => jobs.driver.enqueue(job),
      () => jobs.driver.enqueueMany([{ type: 'good', payload: 1 }, job]),
    ])
      expect(await refusal(call)).toEqual({ code: 'INVALID_OPTION', option });
    expect(await jobs.keys()).toEqual([]);
  });

  test.each([
    ['an unknown field', { type: 'a', payload: 1, delay: 5 }, 'job.delay'],
    ['a header that is no text', { type: 'a', payload: 1, headers: { a: 1 } }, 'headers.a'],
    [
      'both delayMs and notBefore',
      { type: 'a', payload: 1, delayMs: 1, notBefore: 1 },
      'notBefore',
    ],
  ])('refuses %s', async (_, job, option) => {
    const call = () => jobs.driver.enqueue(job as NewJob);
    expect(await refusal(call)).toEqual({ code: 'INVALID_OPTION', option });
    expect(await jobs.keys()).toEqual([]);
  });

  test.each([
    ['circular', circular],
    ['BigInt', { n: 1n }],
    ['undefined', undefined],
    ['a function', () => 1],
    ['a symbol', Symbol('x')],
    ['one that throws', { toJSON: () => { throw new Error('no'); } }], // prettier-ignore
    ['one byte too large', 'x'.repeat(1_048_575)],
    ['one byte too large in UTF-8', 'é'.repeat(524_287) + 'x'],
  ])('refuses a payload that is %s', async (_, payload) => {
    const call = () => jobs.driver.enqueue({ type: 'a', payload });
    expect(await refusal(call)).toEqual({ code: 'INVALID_PAYLOAD' });
    const many = () =>
      jobs.driver.enqueueMany([
        { type: 'a', payload: 1 },
        { type: 'a', payload },
      ]);
    expect(await refusal(many)).toEqual({ code: 'INVALID_PAYLOAD' });
    expect(await jobs.keys()).toEqual([]);
  });

  test('takes a payload of just the largest size', async () => {
    for (const payload of ['x'.repeat(1_048_574), 'é'.repeat(524_287)]) {
      await jobs.add({ payload });
      expect((await jobs.takeOne()).payload).toBe(payload);
    }
  });

  test.each(NO_RECORDS)('refuses %p in place of a job', async (job) => {
    const call = () => jobs.driver.enqueue(job as unknown as NewJob);
    expect(await refusal(call)).toEqual({ code: 'INVALID_OPTION', option: 'job' });
  });

  test.each([null, undefined, 'text', {}, 5])('enqueueMany refuses %p', async (list) => {
    const call = () => jobs.driver.enqueueMany(list as NewJob[]);
    expect(await refusal(call)).toEqual({ code: 'INVALID_OPTION', option: 'jobs' });
  });

  test('enqueueMany of nothing does nothing', async () => {
    expect(await jobs.driver.enqueueMany([])).toEqual([]);
    expect(await jobs.keys()).toEqual([]);
  });

  test('leaves what it is given unchanged', async () => {
    const job = Object.freeze({ type: 'a', payload: Object.freeze({ n: 1 }), delayMs: 3_600_000 });
    const copy = structuredClone(job);
    await jobs.driver.enqueue(job);
    await jobs.driver.enqueue(job);
    expect(job).toEqual(copy);
    expect((await jobs.driver.stats()).scheduled).toBe(2);
  });
});

type Call = (value: never) => Promise<unknown>;

let held: ClaimedJob;

/** Every other argument: how the error names it, the call, wrong values. */
const ARGUMENTS: readonly (readonly [option: string, call: Call, values: readonly unknown[]])[] = [
  ['limit', (limit) => jobs.driver.dequeue({ limit }), [...NO_NUMBERS, 0, -1, 501]],
  ['leaseMs', (leaseMs) => jobs.driver.dequeue({ leaseMs }), [...NO_NUMBERS, 0, -1]],
  ['waitMs', (waitMs) => jobs.driver.dequeue({ waitMs }), [...NO_NUMBERS, -1]],
  ['types', (types) => jobs.driver.dequeue({ types }), ['demo', null, 5, {}, ['a', ''], [7]]],
  ['types', (types) => jobs.driver.dequeue({ types }), [Array.from({ length: 1_001 }, String)]],
  ['signal', (signal) => jobs.driver.dequeue({ signal }), [null, {}, 'stop', true]],
  ['options', (options) => jobs.driver.dequeue(options), NO_RECORDS],
  ['job', (job) => jobs.driver.ack(job), [null, undefined, 'id', 7]],
  ['id', (id) => jobs.driver.ack({ ...held, id }), [...NO_NAMES, undefined]],
  ['token', (token) => jobs.driver.ack({ ...held, token }), ['', 'x', 5, null, undefined, '-1']],
  ['job', (job) => jobs.driver.fail(job, 'x'), [null, undefined, 'id', 7]],
  ['error', (error) => jobs.driver.fail(held, error), [undefined, null, 5, {}, ['x']]],
  ['retryInMs', (retryInMs) => jobs.driver.fail(held, 'x', { retryInMs }), [...NO_NUMBERS, -1]],
  ['retry', (retry) => jobs.driver.fail(held, 'x', { retry }), ['no', 0, null]],
  ['options', (options) => jobs.driver.fail(held, 'x', options), NO_RECORDS],
  ['job', (job) => jobs.driver.release(job), [null, undefined, 'id', 7]],
  ['delayMs', (delayMs) => jobs.driver.release(held, { delayMs }), [...NO_NUMBERS, -1]],
  ['options', (options) => jobs.driver.release(held, options), NO_RECORDS],
  ['jobs', (list) => jobs.driver.extend(list), [null, undefined, 'id', {}, 7]],
  ['job', (job) => jobs.driver.extend([job]), [null, undefined, 'id', 7]],
  ['leaseMs', (leaseMs) => jobs.driver.extend([held], { leaseMs }), [...NO_NUMBERS, 0, -1]],
  ['options', (options) => jobs.driver.extend([held], options), NO_RECORDS],
  ['id', (id) => jobs.driver.cancel(id), [...NO_NAMES, undefined]],
  ['id', (id) => jobs.driver.retry(id), [...NO_NAMES, undefined]],
  ['id', (id) => jobs.driver.drop(id), [...NO_NAMES, undefined]],
  ['id', (id) => jobs.driver.get(id), [...NO_NAMES, undefined]],
  ['queue', (name) => Promise.resolve().then(() => jobs.driver.queue(name)), NO_NAMES],
  ['status', (status) => jobs.driver.list({ status }), ['bogus', '', 'p', null, 5, '__proto__']],
  ['type', (type) => jobs.driver.list({ type }), NO_NAMES],
  ['limit', (limit) => jobs.driver.list({ limit }), [...NO_NUMBERS, 0, -1, 501]],
  ['offset', (offset) => jobs.driver.list({ offset }), [...NO_NUMBERS, -1, 10_001]],
  ['cursor', (cursor) => jobs.driver.list({ cursor }), ['', 'p', 'x 1 a', 'd abc id', 5, null, {}]],
  ['options', (options) => jobs.driver.list(options), NO_RECORDS],
  ['options.state', (state) => jobs.driver.list({ state } as object), ['done']],
  [
    'olderThanMs',
    (olderThanMs) => jobs.driver.recoverOrphans({ olderThanMs }),
    [...NO_NUMBERS, -1],
  ],
  ['options', (options) => jobs.driver.recoverOrphans(options), NO_RECORDS],
  ['repair', (repair) => jobs.driver.audit({ repair }), ['yes', 1, null]],
  ['options', (options) => jobs.driver.audit(options), NO_RECORDS],
  ['on', (on) => jobs.driver.recordEvents(on), ['yes', 1, null, undefined]],
];

const argumentCases = ARGUMENTS.flatMap(([option, call, values]) =>
  values.map((value) => ({ option, call, value, shown: show(value), verb: verbOf(call) })),
);

describe('every other verb', () => {
  test.each(argumentCases)('$verb refuses $option $shown', async ({ option, call, value }) => {
    held = await jobs.addAndTake();
    await jobs.add();
    const before = await jobs.snapshot();
    const refused = await refusal(() => call(value as never));
    expect(refused).toEqual({ code: 'INVALID_OPTION', option });
    expect(await jobs.snapshot()).toEqual(before);
  });

  test('refuses a cursor together with an offset or a type', async () => {
    for (const more of [{ offset: 1 }, { type: 'a' }]) {
      const call = () => jobs.driver.list({ cursor: 'd 1 a', ...more });
      expect(await refusal(call)).toEqual({ code: 'INVALID_OPTION', option: 'cursor' });
    }
  });
});

function show(value: unknown): string {
  if (typeof value === 'string' && value.length > 20) return `a text of ${value.length}`;
  if (Array.isArray(value) && value.length > 5) return `a list of ${value.length}`;
  if (typeof value === 'bigint') return `${value}n`;
  return value instanceof Date ? 'a Date' : (JSON.stringify(value) ?? String(value));
}

function verbOf(call: Call): string {
  return /driver\.(\w+)/.exec(call.toString())?.[1] ?? '';
}
