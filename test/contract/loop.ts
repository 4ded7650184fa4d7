import type { Message } from '../../lib/contract/index.js';
import { CancelledError, RetryLaterError, UnrecoverableError } from '../../lib/errors/index.js';
import type { QueueFixture } from './queue-fixture.js';
import { eventually } from '../support/eventually.js';
import { signalled } from './waiting.js';

export function describeLoop(fixture: QueueFixture): void {
  const stateOf = (id: string) => fixture.queue.stateOf(id);
  const isDone = async (id: string) => [null, 'done'].includes(await stateOf(id));
  const retry = { attempts: 3, backoff: { type: 'fixed', delayMs: 1 } } as const;

  describe('through a claim loop', () => {
    it('every message runs once, with 8 loops', async () => {
      const runs: string[] = [];
      const run = ({ id }: Message) => void runs.push(id);
      for (let n = 0; n < 8; n++) fixture.loop(run, { concurrency: 10, prefetch: n });
      const producing = Array.from({ length: 500 }, (_, n) => fixture.queue.produce(n));
      const ids = await Promise.all(producing);
      await eventually(() => runs.length >= 500);
      await Promise.all(ids.map((id) => eventually(() => isDone(id))));
      expect(runs.sort()).toEqual(ids.sort());
    });

    it('a message that fails is tried again, then it is a dead letter', async () => {
      const attempts: number[] = [];
      const fail = ({ attempt }: Message) => {
        attempts.push(attempt);
        throw new Error(`failed in attempt ${attempt}`);
      };
      fixture.loop(fail, { retry });
      const id = await fixture.queue.produce('x');
      await eventually(async () => (await stateOf(id)) === 'dead');
      expect(attempts).toEqual([1, 2, 3]);
      const [letter] = await fixture.queue.deadLetters.list();
      expect(letter.reason).toContain('failed in attempt 3');
    });

    fixture.itIf('max attempts')("the producer's limit comes first", async () => {
      let runs = 0;
      const fail = () => {
        runs += 1;
        throw new Error('always');
      };
      fixture.loop(fail, { retry });
      const id = await fixture.queue.produce('x', { maxAttempts: 2 });
      await eventually(async () => (await stateOf(id)) === 'dead');
      expect(runs).toBe(2);
    });

    it('UnrecoverableError spends no further attempt', async () => {
      let runs = 0;
      const fail = () => {
        runs += 1;
        throw new UnrecoverableError('the address does not exist');
      };
      fixture.loop(fail, { retry });
      const id = await fixture.queue.produce('x');
      await eventually(async () => (await stateOf(id)) === 'dead');
      expect(runs).toBe(1);
    });

    it('RetryLaterError postpones without spending an attempt', async () => {
      const attempts: number[] = [];
      const run = ({ attempt }: Message) => {
        attempts.push(attempt);
        if (attempts.length < 4) throw new RetryLaterError(5);
      };
      fixture.loop(run, { retry: { attempts: 1 } });
      const id = await fixture.queue.produce('x');
      await eventually(() => isDone(id));
      expect(attempts).toEqual([1, 1, 1, 1]);
    });

    it('a handler longer than its lease keeps the message', async () => {
      const released = signalled();
      let runs = 0;
      const run = async (): Promise<void> => {
        runs += 1;
        await released.promise;
      };
      fixture.loop(run, { leaseMs: 1_500, concurrency: 2 });
      const id = await fixture.queue.produce('x');
      await new Promise((resolve) => setTimeout(resolve, 3_500));
      released.resolve();
      await eventually(() => isDone(id));
      expect(runs).toBe(1);
    });

    fixture.itIf('results')('a result that cannot be stored is a failure', async () => {
      fixture.loop(() => 1n, { retry });
      const id = await fixture.queue.produce('x');
      await eventually(async () => (await stateOf(id)) === 'dead');
      expect((await fixture.queue.deadLetters.list())[0].attempts).toBe(3);
    });

    fixture.itUnless('results')('one run is enough, whatever it returns', async () => {
      let runs = 0;
      const run = () => {
        runs += 1;
        return 1n;
      };
      fixture.loop(run, { retry });
      const id = await fixture.queue.produce('x');
      await eventually(() => isDone(id));
      expect(runs).toBe(1);
      expect(await fixture.queue.deadLetters.count()).toBe(0);
    });

    fixture.itIf('unreadable')('an unreadable message dies once, its handler unseen', async () => {
      const seen: string[] = [];
      fixture.loop(({ id }) => void seen.push(id), { retry });
      const bad = await fixture.queue.produceUnreadable();
      const good = await fixture.queue.produce('good');
      await eventually(() => isDone(good));
      await eventually(async () => (await stateOf(bad)) === 'dead');
      expect(seen).toEqual([good]);
      expect(await fixture.queue.deadLetters.count()).toBe(1);
    });

    fixture.itIf('cancel')('cancel aborts the signal and the result does not count', async () => {
      const started = signalled();
      const aborted = signalled<unknown>();
      fixture.loop(
        async (_, { signal }) => {
          started.resolve();
          await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
          aborted.resolve(signal.reason);
          return 'too late';
        },
        { leaseMs: 900 },
      );
      const id = await fixture.queue.produce('x');
      await started.promise;
      await fixture.queue.cancel(id);
      expect(await aborted.promise).toBeInstanceOf(CancelledError);
      expect(await stateOf(id)).toBe('cancelled');
    });

    it('a drain gives back what still runs when the grace is over', async () => {
      const started = signalled();
      const loop = fixture.loop(() => (started.resolve(), new Promise(() => undefined)));
      const id = await fixture.queue.produce('x');
      await started.promise;
      await loop.drain(10);
      const again = await fixture.claimOne();
      expect(again.message).toMatchObject({ id, attempt: 1 });
    });

    it('a drain waits for what ends within the grace', async () => {
      const started = signalled();
      const release = signalled();
      const loop = fixture.loop(async () => (started.resolve(), release.promise));
      const id = await fixture.queue.produce('x');
      await started.promise;
      const draining = loop.drain(20_000);
      release.resolve();
      await draining;
      expect(await isDone(id)).toBe(true);
    });

    it('a stop gives back what was claimed ahead', async () => {
      const release = signalled();
      const loop = fixture.loop(() => release.promise, { prefetch: 5 });
      for (let n = 0; n < 4; n++) await fixture.queue.produce(n);
      await eventually(() => loop.health().prefetched === 3);
      await loop.stop();
      const again = await fixture.claimAll(3);
      expect(again.map(({ message }) => message.attempt)).toEqual([1, 1, 1]);
      release.resolve();
    });
  });
}
