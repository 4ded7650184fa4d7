import { RetryPolicy, type BackoffFunction, type RetryOptions } from '../../../lib/worker/index.js';
import { RecordingLogger } from '../../contract/logs.js';

describe('the retry policy', () => {
  let logger: RecordingLogger;
  beforeEach(() => (logger = new RecordingLogger()));

  const policy = (options: RetryOptions, random = 0) =>
    new RetryPolicy(options, { logger, random: () => random });
  const failed = (attempt: number, maxAttempts: number | null = null) => ({
    attempt,
    maxAttempts,
    error: new Error('no luck'),
    type: 'welcome',
  });

  it('tries three times, one second apart and then two, when nothing is said', () => {
    const standard = policy({});
    const pauses = [1, 2, 3].map((attempt) => standard.nextRetryMs(failed(attempt)));
    expect(pauses).toEqual([1_000, 2_000, null]);
  });

  it('doubles the pause up to the cap, however many attempts there were', () => {
    const many = policy({ attempts: 1_000_000 });
    const pauses = [10, 12, 13, 100, 999_999].map((n) => many.nextRetryMs(failed(n)));
    expect(pauses).toEqual([512_000, 2_048_000, 3_600_000, 3_600_000, 3_600_000]);
  });

  it('shortens a pause by the jitter at most', () => {
    expect(policy({}, 1).nextRetryMs(failed(1))).toBe(800);
    expect(policy({}, 0.5).nextRetryMs(failed(1))).toBe(900);
    const wild = { type: 'exponential', jitter: 1 } as const;
    expect(policy({ backoff: wild }, 1).nextRetryMs(failed(1))).toBe(1);
  });

  it('takes the same pause each time when it is fixed', () => {
    const fixed = policy({ attempts: 9, backoff: { type: 'fixed', delayMs: 250 } });
    expect([1, 8, 9].map((n) => fixed.nextRetryMs(failed(n)))).toEqual([250, 250, null]);
  });

  it("puts the producer's limit before its own", () => {
    expect(policy({ attempts: 1 }).nextRetryMs(failed(1, 2))).toBe(1_000);
    expect(policy({ attempts: 9 }).nextRetryMs(failed(2, 2))).toBe(null);
  });

  it('asks a function, with the attempt, the error and the type', () => {
    const asked: unknown[] = [];
    const backoff: BackoffFunction = (...what) => {
      asked.push(...what);
      return 77.2;
    };
    const run = failed(2);
    expect(policy({ backoff }).nextRetryMs(run)).toBe(78);
    expect(asked).toEqual([2, run.error, 'welcome']);
  });

  it('never retries sooner than after a millisecond, nor later than in 100 years', () => {
    expect(policy({ backoff: () => 0 }).nextRetryMs(failed(1))).toBe(1);
    const century = 100 * 365 * 86_400_000;
    expect(policy({ backoff: () => 1e300 }).nextRetryMs(failed(1))).toBe(century);
  });

  it('lets a function end the attempts, but not prolong them', () => {
    expect(policy({ backoff: () => null }).nextRetryMs(failed(1))).toBe(null);
    expect(policy({ attempts: 2, backoff: () => 5 }).nextRetryMs(failed(2))).toBe(null);
  });

  it.each([NaN, Infinity, -1, undefined, '50', {}, Promise.resolve(5)])(
    'takes the default pause, with one line, when a function returns %p',
    (answer) => {
      const broken = policy({ backoff: (() => answer) as unknown as BackoffFunction });
      expect(broken.nextRetryMs(failed(1))).toBe(1_000);
      expect(broken.nextRetryMs(failed(2))).toBe(2_000);
      expect(logger.lines).toHaveLength(1);
      expect(logger.of('error')[0]).toContain('retry.backoff');
    },
  );

  it('does the same when a function throws, and tells it again after it worked', () => {
    let isBroken = true;
    const moody = policy({
      backoff: () => {
        if (isBroken) throw new Error('moody');
        return 5;
      },
    });
    expect(moody.nextRetryMs(failed(1))).toBe(1_000);
    isBroken = false;
    expect(moody.nextRetryMs(failed(1))).toBe(5);
    isBroken = true;
    moody.nextRetryMs(failed(1));
    expect(logger.of('error')).toHaveLength(2);
  });
});
