import {
  checkFunction,
  checkInteger,
  checkKeys,
  checkOneOf,
  checkSignal,
  InvalidOptionError,
} from '../errors/index.js';
import { checkId } from './ids.js';
import type { BrokerMessage } from './message.js';
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
  /** Gets each message; what it throws goes to `onError`. */
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

/** How an observed queue is watched; errors that no `onError` takes end the Observable. */
export type ObserveOptions = Omit<WatchOptions, 'handler' | 'onError'>;

const MODES: readonly WatchMode[] = ['consume', 'peek', 'move'];
const OBSERVE_OPTIONS = ['mode', 'target', 'after', 'maxMessages', 'signal'];
const OPTIONS = ['handler', 'onError', ...OBSERVE_OPTIONS];

/** Answers the id to go on behind. @throws InvalidOptionError naming the option; QueueNameError */
export function checkWatch<Body>(options: WatchOptions<Body>, queue: string): bigint | null {
  const { handler, onError } = checkKeys('options', options, OPTIONS);
  checkFunction('handler', handler);
  if (onError !== undefined) checkFunction('onError', onError);
  return checkWay(options, queue);
}

/** The same for what is observed, and so has no handlers. */
export function checkObserve(options: ObserveOptions, queue: string): ObserveOptions {
  checkKeys('options', options, OBSERVE_OPTIONS);
  checkWay(options, queue);
  return options;
}

function checkWay(options: ObserveOptions, queue: string): bigint | null {
  const { mode = 'consume', target, maxMessages, signal } = options;
  checkOneOf('mode', mode, MODES);
  if ((mode === 'move') !== (target !== undefined)) {
    throw new InvalidOptionError('target', "belongs to mode 'move', and only to it");
  }
  if (target !== undefined) checkTarget(target, queue);
  if (maxMessages !== undefined) checkInteger('maxMessages', maxMessages, { min: 1 });
  if (signal !== undefined) checkSignal('signal', signal);
  return 'after' in options ? checkId('after', options.after) : null;
}
