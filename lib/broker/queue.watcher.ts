import { ClosedError, MAX_TIMER_MS } from '../errors/index.js';
import { pause } from '../redis/index.js';
import type { ActivityWaiter, WaitOptions } from './activity.waiter.js';
import type { BrokerMessage, OneSelector } from './message.js';
import { checkWatch, type WatchOptions } from './watch.options.js';

/** What a watcher needs of its queue. */
export interface WatchedQueue<Body> {
  readonly name: string;
  read(options: OneSelector): Promise<BrokerMessage<Body> | null>;
  peek(options: OneSelector): Promise<BrokerMessage<Body> | null>;
  move(target: string, options: OneSelector): Promise<BrokerMessage<Body> | null>;
  waiter(): Promise<ActivityWaiter>;
}

/** A hint may be lost, so an idle watcher looks this often, in milliseconds. */
const LOOK_EVERY_MS = 1_000;

/**
 * Hands the messages of a queue to a handler, one at a time, until it is stopped; keeps the process
 * alive until then, unlike the connections of its broker.
 */
export class QueueWatcher<Body = string> {
  /** How many messages the handler got. */
  count = 0;
  /** Resolves when it has stopped; rejects with the error that stopped it. */
  readonly done: Promise<void>;
  private readonly stopper = new AbortController();
  private settle!: (error?: Error) => void;
  private after: bigint | null;
  private isStarted = false;

  /** @throws InvalidOptionError naming the option */
  constructor(
    private readonly queue: WatchedQueue<Body>,
    private readonly options: WatchOptions<Body>,
  ) {
    this.after = checkWatch(options, queue.name);
    this.done = new Promise((resolve, reject) => {
      this.settle = (error) => (error === undefined ? resolve() : reject(error));
    });
    this.done.catch(() => undefined); // whoever wants to know awaits it
  }

  /** Starts; a second call does nothing. */
  start(): this {
    if (this.isStarted) return this;
    this.isStarted = true;
    const letGo = this.keepAlive();
    const { signal } = this.options;
    const stop = () => this.stopper.abort();
    if (signal?.aborted) stop();
    signal?.addEventListener('abort', stop, { once: true });
    this.run()
      .then(
        () => this.settle(),
        (error: unknown) => this.settle(error as Error),
      )
      .finally(() => {
        letGo();
        signal?.removeEventListener('abort', stop);
      });
    return this;
  }

  /** Takes no more messages; resolves when the handler in progress has ended. */
  async stop(): Promise<void> {
    this.stopper.abort();
    if (this.isStarted) await this.done.catch(() => undefined);
  }

  private async run(): Promise<void> {
    let waiter: ActivityWaiter | null = null;
    try {
      while (!this.isOver()) {
        waiter ??= await this.attempt(() => this.queue.waiter());
        waiter?.forget(); // the look that follows sees what those notes are about
        const wentOn = await this.attempt(() => this.step());
        if (wentOn !== true) await this.rest(waiter);
      }
    } finally {
      await waiter?.close();
    }
  }

  /** Until it is stopped or has ended, also where a handler that never ends goes on. */
  private keepAlive(): () => void {
    const timer = setInterval(() => undefined, MAX_TIMER_MS);
    const letGo = () => clearInterval(timer);
    this.stopper.signal.addEventListener('abort', letGo, { once: true });
    return letGo;
  }

  private isOver(): boolean {
    return this.stopper.signal.aborted || this.count >= (this.options.maxMessages ?? Infinity);
  }

  /** What Redis refused is told; `null` then. */
  private async attempt<T>(call: () => Promise<T>): Promise<T | null> {
    try {
      return await call();
    } catch (error) {
      if (error instanceof HandlerFailure) throw error.cause;
      if (this.stopper.signal.aborted) return null; // the broker was closed meanwhile, perhaps
      if (error instanceof ClosedError) throw error; // there is nothing to go on with
      await this.report(error as Error, null);
      return null;
    }
  }

  /** Hands one message over; `false` when there is none or the same one is to be tried again. */
  private async step(): Promise<boolean> {
    const message = await this.next();
    if (message === null) return false;
    this.count++;
    try {
      await this.options.handler(message);
    } catch (error) {
      await this.reportFailure(error as Error, message);
      if (this.options.mode === 'peek') return false;
    }
    this.after = this.options.mode === 'peek' ? message.id : this.after;
    return true;
  }

  private next(): Promise<BrokerMessage<Body> | null> {
    const { mode = 'consume', target } = this.options;
    const selector = this.after === null ? {} : { after: this.after };
    if (mode === 'peek') return this.queue.peek(selector);
    return mode === 'consume' ? this.queue.read(selector) : this.queue.move(target!, selector);
  }

  private async reportFailure(error: Error, message: BrokerMessage<Body>): Promise<void> {
    try {
      await this.report(error, message);
    } catch (cause) {
      throw new HandlerFailure('stops the watcher', { cause });
    }
  }

  /** Throws the error where nobody takes it. */
  private async report(error: Error, message: BrokerMessage<Body> | null): Promise<void> {
    const { onError } = this.options;
    if (onError === undefined) throw error;
    if ((await onError(error, message)) === false) this.stopper.abort();
  }

  private async rest(waiter: ActivityWaiter | null): Promise<void> {
    const options: WaitOptions = { timeoutMs: LOOK_EVERY_MS, signal: this.stopper.signal };
    if (waiter !== null) await waiter.wait(options);
    else await pause(LOOK_EVERY_MS, this.stopper.signal);
  }
}

/** Carries what a handler's failure made `onError` throw past the place where Redis' errors end. */
class HandlerFailure extends Error {}
