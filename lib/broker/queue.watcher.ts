import {
  checkFunction,
  checkKeys,
  checkInteger,
  checkOneOf,
  checkSignal,
  ClosedError,
  InvalidOptionError,
} from '../errors/index.js';
import { pause } from '../redis/index.js';
import type { ActivityWaiter, WaitOptions } from './activity.waiter.js';
import { checkId } from './ids.js';
import type { BrokerMessage, OneSelector } from './message.js';
import { checkTarget } from './selectors.js';

/** What a watcher does with each message. */
export type WatchMode =
  /** Takes it for good before the handler sees it, whatever that does. */
  | 'consume'
  /** Shows it; goes on behind it once the handler has succeeded. */
  | 'peek'
  /** Moves it to `target` before the handler sees it. */
  | 'move';

/** How a watcher runs. */
export interface WatchOptions<Body = string> {
  readonly handler: (message: BrokerMessage<Body>) => unknown;
  /** @default 'consume' */
  readonly mode?: WatchMode;
  /** Where mode 'move' leads; only with it. */
  readonly target?: string;
  /** Only messages after this id. */
  readonly after?: bigint | string;
  /**
   * Gets what the handler threw, or what Redis refused (then without a message), and is awaited.
   * `false` stops the watcher; anything else goes on: behind the message, or in mode 'peek' with it
   * once more.
   * @default stops, and `done` rejects
   */
  readonly onError?: (error: Error, message: BrokerMessage<Body> | null) => unknown;
  /** Stops it after so many messages. */
  readonly maxMessages?: number;
  /** Stops it. */
  readonly signal?: AbortSignal;
}

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
const MODES: readonly WatchMode[] = ['consume', 'peek', 'move'];
const OPTIONS = ['handler', 'mode', 'target', 'after', 'onError', 'maxMessages', 'signal'];

/** Hands the messages of a queue to a handler, one at a time, until it is stopped. */
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
    checkWatch(options, queue.name);
    this.after = 'after' in options ? checkId('after', options.after) : null;
    this.done = new Promise((resolve, reject) => {
      this.settle = (error) => (error === undefined ? resolve() : reject(error));
    });
    this.done.catch(() => undefined); // whoever wants to know awaits it
  }

  /** Starts; a second call does nothing. */
  start(): this {
    if (this.isStarted) return this;
    this.isStarted = true;
    const { signal } = this.options;
    const stop = () => this.stopper.abort();
    if (signal?.aborted) stop();
    signal?.addEventListener('abort', stop, { once: true });
    this.run()
      .then(
        () => this.settle(),
        (error: unknown) => this.settle(error as Error),
      )
      .finally(() => signal?.removeEventListener('abort', stop));
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

function checkWatch<Body>(options: WatchOptions<Body>, queue: string): void {
  checkKeys('options', options, OPTIONS);
  const { handler, mode = 'consume', target, onError, maxMessages, signal } = options;
  checkFunction('handler', handler);
  checkOneOf('mode', mode, MODES);
  if ((mode === 'move') !== (target !== undefined)) {
    throw new InvalidOptionError('target', "belongs to mode 'move', and only to it");
  }
  if (target !== undefined) checkTarget(target, queue);
  if (onError !== undefined) checkFunction('onError', onError);
  if (maxMessages !== undefined) checkInteger('maxMessages', maxMessages, { min: 1 });
  if (signal !== undefined) checkSignal('signal', signal);
}
