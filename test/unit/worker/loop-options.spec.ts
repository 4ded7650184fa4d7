import { LOOP_DEFAULTS, checkLoopOptions, type LoopOptions } from '../../../lib/worker/index.js';
import { caught } from '../../contract/caught.js';

describe('loop options', () => {
  it('are complete when nothing is said', () => {
    expect(checkLoopOptions()).toEqual({
      concurrency: 1,
      prefetch: 0,
      leaseMs: 30_000,
      retry: {
        attempts: 3,
        backoff: { type: 'exponential', baseMs: 1_000, capMs: 3_600_000, jitter: 0.2 },
      },
      timeoutMs: null,
    });
    expect(checkLoopOptions()).toEqual(LOOP_DEFAULTS);
  });

  it('take undefined for left out, can be checked again, and are not changed', () => {
    const given = Object.freeze({ concurrency: 7, leaseMs: undefined });
    const once = checkLoopOptions(given);
    expect(once).toMatchObject({ concurrency: 7, leaseMs: 30_000 });
    expect(checkLoopOptions(once)).toEqual(once);
    expect(Object.isFrozen(once)).toBe(true);
  });

  it('let a base beyond the default cap lift the cap', () => {
    const backoff = { type: 'exponential', baseMs: 7_200_000 } as const;
    expect(checkLoopOptions({ retry: { backoff } }).retry.backoff).toMatchObject({
      capMs: 7_200_000,
    });
  });

  it.each<[string, unknown]>([
    ['concurrency', { concurrency: 0 }],
    ['concurrency', { concurrency: 10_001 }],
    ['concurrency', { concurrency: '5' }],
    ['concurrency', { concurrency: null }],
    ['prefetch', { prefetch: -1 }],
    ['leaseMs', { leaseMs: 0 }],
    ['leaseMs', { leaseMs: NaN }],
    ['timeoutMs', { timeoutMs: 2 ** 31 }],
    ['timeoutMs', { timeoutMs: 0 }],
    ['retry', { retry: null }],
    ['retry.attempts', { retry: { attempts: 0 } }],
    ['retry.attempts', { retry: { attempts: Infinity } }],
    ['retry.backoff', { retry: { backoff: 'exponential' } }],
    ['retry.backoff.type', { retry: { backoff: {} } }],
    ['retry.backoff.type', { retry: { backoff: { type: 'linear' } } }],
    ['retry.backoff.delayMs', { retry: { backoff: { type: 'fixed' } } }],
    ['retry.backoff.delayMs', { retry: { backoff: { type: 'exponential', delayMs: 5 } } }],
    ['retry.backoff.baseMs', { retry: { backoff: { type: 'exponential', baseMs: 0 } } }],
    ['retry.backoff.capMs', { retry: { backoff: { type: 'exponential', capMs: 999 } } }],
    ['retry.backoff.jitter', { retry: { backoff: { type: 'exponential', jitter: 1.1 } } }],
    ['retry.backoff.baseMS', { retry: { backoff: { type: 'exponential', baseMS: 1 } } }],
    ['options.concurency', { concurency: 5 }],
  ])('refuse by name: %s of %j', (option, options) => {
    const check = () => checkLoopOptions(options as LoopOptions);
    expect(caught(check)).toEqual({ code: 'INVALID_OPTION', option });
  });

  it('carry the name of their owner', () => {
    const refused = (options: object) => caught(() => checkLoopOptions(options, 'processors.'));
    expect(refused({ prefetch: 0.5 })?.option).toBe('processors.prefetch');
    expect(refused({ retry: { attempts: 0 } })?.option).toBe('processors.retry.attempts');
    expect(refused({ other: 1 })?.option).toBe('processors.other');
  });
});
