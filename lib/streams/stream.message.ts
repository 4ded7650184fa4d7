import type { Message } from '../contract/index.js';

/** An entry of a stream as its handler sees it; `id` stays the same when it comes back. */
export interface StreamMessage<Payload = unknown> extends Message<Payload> {
  /** The id of the stream's entry; a message that came back or late has another one than `id`. */
  readonly entryId: string;
  /** The consumer group it was delivered to. */
  readonly group: string;
  /** How often the server handed out this entry: 1, and one more with every take-over. */
  readonly deliveryCount: number;
}

/** How a message is published. */
export interface StreamPublishOptions {
  /** Milliseconds from now before which it is not delivered. @default 0 */
  readonly delayMs?: number;
  /** Text pairs that travel beside the body. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Bytes to publish; text is stored as UTF-8. */
export type StreamBody = string | Uint8Array;

/** A message for `publishMany`: its body alone, or with options. */
export type NewStreamMessage = StreamBody | (StreamPublishOptions & { readonly body: StreamBody });

/** A payload for `appendMany`, with its options. */
export interface NewStreamPayload<Payload = unknown> extends StreamPublishOptions {
  readonly payload: Payload;
}
