import { Redis } from 'ioredis';
import { InvalidOptionError } from '../../../lib/errors/index.js';
import { JOBS_DEFAULTS, JobDriver, type JobDriverOptions } from '../../../lib/jobs/index.js';
import { resolveJobsOptions } from '../../../lib/jobs/jobs.options.js';
import { caught } from '../../contract/caught.js';

const NO_NUMBERS = [NaN, Infinity, -Infinity, 1.5, '1200', null, new Date(0), {}, [], true, 10n];
const NO_RECORDS = [null, 'text', 7, [], new Date(0)];
const ANYWHERE = { connection: { url: 'redis://127.0.0.1:1' } };

const WRONG: Readonly<Record<string, readonly unknown[]>> = {
  leaseMs: [...NO_NUMBERS, 0, -1, 2 ** 53],
  promoteEveryMs: [...NO_NUMBERS, 0, 9, -1],
  promoteLimit: [...NO_NUMBERS, 0, -1, 501],
  maxRecoveries: [...NO_NUMBERS, -1, 1e7],
  keepDone: NO_RECORDS,
  keepFailed: NO_RECORDS,
  keepCancelled: NO_RECORDS,
  maxPayloadBytes: [...NO_NUMBERS, 0, -1, 2 ** 30],
  codec: [null, 'json', 7],
};
const cases = Object.entries(WRONG).flatMap(([option, values]) =>
  values.map((value) => ({ option, value })),
);

test.each(cases)('$option refuses $value', ({ option, value }) => {
  const alone = () => new JobDriver({ ...ANYWHERE, [option]: value });
  expect(caught(alone)).toEqual({ code: 'INVALID_OPTION', option: `options.${option}` });
  const inModule = () => resolveJobsOptions({ [option]: value });
  expect(caught(inModule)).toEqual({ code: 'INVALID_OPTION', option: `jobs.${option}` });
});

test.each(['keepDone', 'keepFailed', 'keepCancelled'])('%s refuses wrong limits', (option) => {
  const wrong = [
    ...[...NO_NUMBERS, -1, 2e9].map((count) => ['count', { count }] as const),
    ...[...NO_NUMBERS, -1, 0].map((ageMs) => ['ageMs', { ageMs }] as const),
    ['days', { days: 5 }] as const,
  ];
  for (const [limit, retention] of wrong) {
    const refused = caught(() => resolveJobsOptions({ [option]: retention }));
    expect(refused?.option).toBe(`jobs.${option}.${limit}`);
  }
});

test.each(['encode', 'decode'])('a codec without %s is refused', (half) => {
  const codec = { encode: JSON.stringify, decode: String, [half]: 'json' };
  const refused = caught(() => resolveJobsOptions({ codec }));
  expect(refused?.option).toBe(`jobs.codec.${half}`);
});

test.each([
  ['an unknown option', { leaseMS: 5 }, 'options.leaseMS'],
  ['a queue that is no name', { queue: '' }, 'queue'],
  ['a queue that is null', { queue: null }, 'queue'],
  ['a prefix with braces', { prefix: 'a{b}' }, 'prefix'],
  ['an empty prefix', { prefix: '' }, 'prefix'],
  ['a promoter that is no switch', { promoter: 'yes' }, 'promoter'],
  ['a wrong limit of the connection', { commandTimeoutMs: 0 }, 'commandTimeoutMs'],
  ['a wrong block time', { blockMs: -1 }, 'blockMs'],
])('a driver refuses %s', (_, options, option) => {
  const making = () => new JobDriver({ ...ANYWHERE, ...options } as JobDriverOptions);
  expect(caught(making)).toEqual({ code: 'INVALID_OPTION', option });
});

test('a driver wants exactly one of connection and client', () => {
  const client = new Redis({ lazyConnect: true });
  for (const options of [{}, { ...ANYWHERE, client }, { connection: {} }, { client: {} }])
    expect(() => new JobDriver(options as JobDriverOptions)).toThrow(InvalidOptionError);
});

test.each([undefined, null, 'redis://localhost', []])(
  'a driver refuses %p for options',
  (options) => {
    expect(caught(() => new JobDriver(options as never))?.option).toBe('options');
  },
);

test('left out and undefined are the defaults', () => {
  expect(resolveJobsOptions()).toEqual(JOBS_DEFAULTS);
  expect(resolveJobsOptions({ leaseMs: undefined, keepDone: undefined })).toEqual(JOBS_DEFAULTS);
  expect(JOBS_DEFAULTS).toMatchObject({
    leaseMs: 30_000,
    promoteEveryMs: 1_000,
    promoteLimit: 100,
    maxRecoveries: 3,
    keepDone: { count: 1_000 },
    keepFailed: { count: 10_000, ageMs: 14 * 86_400_000 },
    keepCancelled: { count: 10_000, ageMs: 14 * 86_400_000 },
    maxPayloadBytes: 1_048_576,
  });
});

test('half a retention keeps the other half', () => {
  const { keepFailed, keepDone } = resolveJobsOptions({
    keepFailed: { count: 5 },
    keepDone: { ageMs: 1_000 },
  });
  expect(keepFailed).toEqual({ count: 5, ageMs: 14 * 86_400_000 });
  expect(keepDone).toEqual({ count: 1_000, ageMs: 1_000 });
});

test('defaults and settings cannot be changed', () => {
  const settings = resolveJobsOptions({ keepDone: { count: 1 } });
  for (const frozen of [JOBS_DEFAULTS, JOBS_DEFAULTS.keepDone, settings, settings.keepDone])
    expect(Object.isFrozen(frozen)).toBe(true);
});
