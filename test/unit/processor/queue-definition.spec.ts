import {
  defineQueue,
  getEngineToken,
  getQueueServiceToken,
  getQueueToken,
} from '../../../lib/processor/index.js';
import { readHandlers, readProcessor } from '../../../lib/processor/processor.metadata.js';
import { mergeSettings } from '../../../lib/processor/processor.settings.js';

interface Jobs {
  one: { n: number };
}

describe('a queue definition', () => {
  const queue = defineQueue<Jobs>({ engine: 'jobs', name: 'numbers', concurrency: 4 });

  it('places its processors and types their methods', () => {
    @queue.Processor({ leaseMs: 500, instance: 'second' })
    class Numbers {
      @queue.Process('one') one(): void {}
    }
    expect(readProcessor(Numbers)).toEqual({
      engine: 'jobs',
      queue: 'numbers',
      instance: 'second',
      layers: [{ leaseMs: 500 }, { concurrency: 4 }],
    });
    expect(readHandlers(Numbers)).toEqual([{ method: 'one', type: 'one' }]);
  });

  it('cannot be changed afterwards', () => {
    expect(Object.isFrozen(queue) && Object.isFrozen(queue.settings)).toBe(true);
  });

  it.each([
    [{ engine: 'jobs' }, 'defineQueue.name'],
    [{ engine: 'stones', name: 'x' }, 'defineQueue.engine'],
    [{ engine: 'jobs', name: 'x', leaseMS: 1 }, 'defineQueue.leaseMS'],
  ])('is refused by the name of the option: %j', (options, option) => {
    expect(() => defineQueue<Jobs>(options as never)).toThrow(
      expect.objectContaining({ option }) as Error,
    );
  });

  it('refuses to be moved to another queue by its decorator', () => {
    expect(() => queue.Processor({ queue: 'other' } as never)).toThrow('@Processor.queue');
  });
});

describe('settings', () => {
  it('take each value from the nearest layer that has one', () => {
    const fixed = { type: 'fixed', delayMs: 5 } as const;
    const merged = mergeSettings([
      { concurrency: undefined, retry: { attempts: 5 } },
      { concurrency: 7, leaseMs: 100 },
      { concurrency: 9, retry: { attempts: 2, backoff: fixed }, timeoutMs: 50 },
    ]);
    expect(merged).toEqual({
      concurrency: 7,
      leaseMs: 100,
      retry: { attempts: 5, backoff: fixed },
      timeoutMs: 50,
    });
  });
});

describe('tokens', () => {
  it('are the same for a name and for its jobs definition', () => {
    const queue = defineQueue<Jobs>({ engine: 'jobs', name: 'n' });
    expect(getQueueToken('n')).toBe(getQueueToken(queue));
    expect(getQueueToken('n', 'default')).toBe(getQueueToken({ engine: 'jobs', name: 'n' }));
  });

  it('are never the same for two things, whatever the names hold', () => {
    const tokens = [
      getQueueToken('a'),
      getQueueToken('a', 'b'),
      getQueueToken('a","b'),
      getQueueToken('b', 'a'),
      getEngineToken('jobs'),
      getEngineToken('jobs', 'b'),
      getQueueServiceToken(),
      getQueueServiceToken('b'),
    ];
    expect(new Set(tokens).size).toBe(tokens.length);
  });
});
