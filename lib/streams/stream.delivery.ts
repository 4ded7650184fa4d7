import {
  HeldDelivery,
  parseHeaders,
  readPayload,
  type Ending,
  type ReadPayload,
} from '../delivery/index.js';
import { UnreadablePayloadError } from '../errors/index.js';
import type { StreamEntry } from './entry.js';
import type { StreamOutcome } from './outcome.js';
import type { StreamMessage } from './stream.message.js';
import type { StreamsSettings } from './streams.options.js';

/** What a delivery needs of its source. */
export interface DeliveryPort {
  readonly group: string;
  readonly leaseMs: number;
  readonly settings: StreamsSettings;
  /** Settles in the next call; rejects with LeaseLostError. */
  settle(outcome: StreamOutcome): Promise<void>;
  /** Prolongs the lease in the next call; rejects with LeaseLostError. */
  extend(delivery: StreamDelivery): Promise<void>;
}

interface Read extends ReadPayload {
  readonly headers: Readonly<Record<string, string>>;
}

/** An entry held by this process. */
export class StreamDelivery extends HeldDelivery {
  private read: Read | undefined;
  private shown: StreamMessage | undefined;
  private isAcked = false;

  constructor(
    readonly entry: StreamEntry,
    private readonly port: DeliveryPort,
  ) {
    super();
  }

  get message(): StreamMessage {
    return (this.shown ??= this.show());
  }

  get fence(): number {
    return this.entry.fence;
  }

  get leaseMs(): number {
    return this.port.leaseMs;
  }

  get unreadable(): Error | null {
    return this.decoded().unreadable;
  }

  /** The headers; throws UnreadablePayloadError when others than we wrote them. */
  get headers(): Readonly<Record<string, string>> {
    return parseHeaders(this.entry.headers);
  }

  /** Streams keep no results: whatever the handler returned is none of their business. */
  async ack(): Promise<void> {
    if (this.isAcked) return; // done is done; the server has forgotten it
    const { queue, entryId, token } = this.entry;
    await this.port.settle({ verb: 'ack', queue, id: entryId, token });
    this.isAcked = true;
  }

  extend(): Promise<void> {
    return this.port.extend(this);
  }

  protected end({ verb, delayMs, reason }: Ending): Promise<void> {
    const { queue, entryId, token } = this.entry;
    const own = verb === 'release' && delayMs > 0 ? 'postpone' : verb;
    return this.port.settle({ verb: own, queue, id: entryId, token, delayMs, reason });
  }

  private show(): StreamMessage {
    const { entry } = this;
    const { payload, headers } = this.decoded();
    return {
      id: entry.id,
      queue: entry.queue,
      name: '',
      payload,
      headers,
      attempt: entry.attempt,
      enqueuedAt: entry.since,
      entryId: entry.entryId,
      group: this.port.group,
      deliveryCount: entry.deliveryCount,
    };
  }

  private decoded(): Read {
    return (this.read ??= this.decode());
  }

  private decode(): Read {
    const { body, headers } = this.entry;
    if (body === null) {
      return { payload: '', headers: {}, unreadable: new UnreadablePayloadError(NO_BODY) };
    }
    const { payload, unreadable } = readPayload(this.port.settings.codec, body);
    try {
      return { payload, unreadable, headers: parseHeaders(headers) };
    } catch (error) {
      return { payload, unreadable: error as Error, headers: {} };
    }
  }
}

const NO_BODY = 'the entry has no field body: it was not written by a producer of this library';
