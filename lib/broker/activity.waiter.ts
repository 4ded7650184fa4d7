import {
  checkDuration,
  checkKeys,
  checkSignal,
  ClosedError,
  InvalidOptionError,
} from '../errors/index.js';
import type { Subscription } from '../redis/index.js';
import type { BrokerCore } from './broker.core.js';

/** How long to wait. */
export interface WaitOptions {
  /** In milliseconds; 0 only looks. @default 5_000 */
  readonly timeoutMs?: number;
  /** Ends the wait with `false`. */
  readonly signal?: AbortSignal;
}

interface Wait {
  end(wasWoken: boolean): void;
}

/**
 * Wakes when something is written to one of its queues: each write is one wake-up.
 *
 * A hint and never the truth: look at the queue before the first wait and after every one, also
 * when it answers `false`. It owns its registrations only, not the broker or its connections; a
 * broker that closes closes its waiters. A wait under way keeps the process alive, a waiter does not.
 */
export class ActivityWaiter {
  private readonly registrations: Subscription[] = [];
  private readonly waits = new Set<Wait>();
  private unseen = 0;
  private isClosed = false;

  private constructor(private readonly core: BrokerCore) {
    core.waiters.add(this);
  }

  /**
   * Registers with each of the queues; resolves when all are heard. Used by `waiter()`.
   *
   * @throws AliasError; OperationalError when the listener cannot start; ClosedError
   */
  static async open(core: BrokerCore, references: readonly string[]): Promise<ActivityWaiter> {
    core.assertOpen();
    if (references.length === 0) throw new InvalidOptionError('queues', 'expected at least one');
    const names = await Promise.all(references.map((reference) => core.resolve(reference)));
    core.assertOpen();
    const waiter = new ActivityWaiter(core);
    const opening = [...new Set(names)].map((name) => waiter.register(name));
    const failed = (await Promise.allSettled(opening)).find(({ status }) => status === 'rejected');
    if (failed === undefined) return waiter;
    await waiter.close().catch(() => undefined);
    throw (failed as PromiseRejectedResult).reason;
  }

  /**
   * `true` for each write that was not answered yet; `false` when the time is over, the signal
   * aborts, or the waiter is closed.
   */
  async wait(options: WaitOptions = {}): Promise<boolean> {
    checkKeys('options', options, ['timeoutMs', 'signal']);
    const { timeoutMs = 5_000, signal } = options;
    checkDuration('timeoutMs', timeoutMs, { min: 0 });
    if (signal !== undefined) checkSignal('signal', signal);
    if (this.isClosed || signal?.aborted) return false;
    if (this.unseen > 0) {
      this.unseen--;
      return true;
    }
    return timeoutMs > 0 && this.rest(timeoutMs, signal);
  }

  /** Forgets the wake-ups so far: whoever looks at the queues next needs none of them. */
  forget(): void {
    this.unseen = 0;
  }

  /**
   * Ends the waits and the registrations. Closed before it begins; tries every registration and
   * throws the first error, with the later ones in its `errors`. A later call does nothing.
   */
  async close(): Promise<void> {
    if (this.isClosed) return;
    this.isClosed = true;
    this.core.waiters.delete(this);
    for (const wait of this.waits) wait.end(false);
    const released = this.registrations.map((registration) => registration.release());
    const results = await Promise.allSettled(released);
    const [first, ...later] = results
      .filter((result) => result.status === 'rejected')
      .map(({ reason }: PromiseRejectedResult) => reason as Error);
    if (first === undefined) return;
    throw later.length === 0 ? first : Object.assign(first, { errors: later });
  }

  private async register(name: string): Promise<void> {
    const registration = await this.core.backend.subscribe(name, this.notify);
    this.registrations.push(registration);
    if (!this.isClosed) return;
    await registration.release(); // closed before it was open: by its broker
    throw new ClosedError('the queue broker');
  }

  private readonly notify = (): void => {
    if (this.isClosed) return;
    const [wait] = this.waits; // each wake-up is for one wait
    if (wait === undefined) this.unseen++;
    else wait.end(true);
  };

  private rest(timeoutMs: number, signal: AbortSignal | undefined): Promise<boolean> {
    return new Promise((resolve) => {
      const onAbort = () => wait.end(false);
      const wait: Wait = {
        end: (wasWoken) => {
          clearTimeout(timer);
          signal?.removeEventListener('abort', onAbort);
          this.waits.delete(wait);
          resolve(wasWoken);
        },
      };
      const timer = setTimeout(() => wait.end(false), Math.min(timeoutMs, 2 ** 31 - 1));
      signal?.addEventListener('abort', onAbort);
      this.waits.add(wait);
    });
  }
}
