import type { HeldMessage } from './broker.delivery.js';
import type { BrokerQueue } from './broker.queue.js';

/** What a queue definition of the broker engine is typed by: the body of its messages. */
export interface BrokerTyping<Body> {
  /** What handlers receive; messages have no types, so there is no name to give to `@Process`. */
  readonly messages: { readonly [anyMessage]: HeldMessage<Body> };
  /** What `@InjectQueue` injects. */
  readonly handle: BrokerQueue<Body>;
}

declare const anyMessage: unique symbol;
