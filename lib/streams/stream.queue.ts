import type { NewStreamPayload, StreamPublishOptions, StreamMessage } from './stream.message.js';
import type { StreamStats } from './stream.stats.js';
import type { StreamTransport } from './stream.transport.js';

/** What a queue definition of the streams engine is typed by: the payload of its messages. */
export interface StreamsTyping<Payload> {
  /** What handlers receive; entries have no types that `@Process` could name. */
  readonly messages: { readonly [everything]: StreamMessage<Payload> };
  /** What `@InjectQueue` injects. */
  readonly handle: StreamQueue<Payload>;
}

declare const everything: unique symbol;

/**
 * One streams queue, typed by its payload: what `@InjectQueue(definition)` injects.
 *
 * A thin layer over `StreamTransport`, which makes consumers too.
 */
export class StreamQueue<Payload = unknown> {
  constructor(
    /** The queue's name. */
    readonly name: string,
    private readonly transport: StreamTransport,
  ) {}

  /**
   * Publishes a payload; answers the message's id.
   *
   * @throws InvalidOptionError, PayloadError before anything is sent; OperationalError
   */
  append(payload: Payload, options: StreamPublishOptions = {}): Promise<string> {
    return this.transport.append(payload, options);
  }

  /** Publishes many payloads, in few round trips; the ids come in the same order. */
  appendMany(payloads: readonly NewStreamPayload<Payload>[]): Promise<readonly string[]> {
    return this.transport.appendMany(payloads);
  }

  /** Messages that were given up: list, redrive, drop. */
  get deadLetters(): StreamTransport['deadLetters'] {
    return this.transport.deadLetters;
  }

  /** The queue's counters, group by group. */
  stats(): Promise<StreamStats> {
    return this.transport.stats();
  }

  /** What a probe wants to know; never rejects for a server that is away. */
  health(): ReturnType<StreamTransport['health']> {
    return this.transport.health();
  }

  /** Makes a group before its first consumer comes; see `StreamTransport.createGroup`. */
  createGroup(group: string, from?: 'start' | 'now'): Promise<boolean> {
    return this.transport.createGroup(group, from);
  }

  /** Ends a group that nobody reads for any more; see `StreamTransport.dropGroup`. */
  dropGroup(group: string): Promise<boolean> {
    return this.transport.dropGroup(group);
  }
}
