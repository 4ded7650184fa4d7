import type { Delivery, Rejection } from '../contract/index.js';
import { checkDuration, reasonOf, UnreadablePayloadError } from '../errors/index.js';
import { parseHeaders, readPayload, Revocation, type ReadPayload } from '../redis/index.js';
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
export class StreamDelivery implements Delivery {
  /** The producers of streams set no limit. */
  readonly maxAttempts = null;
  private readonly revocation = new Revocation();
  private read: Read | undefined;
  private shown: StreamMessage | undefined;
  private isAcked = false;

  constructor(
    readonly entry: StreamEntry,
    private readonly port: DeliveryPort,
  ) {}

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

  onRevoked(listener: (reason: Error) => void): void {
    this.revocation.onRevoked(listener);
  }

  /** Tells the listeners, once, that this claim is void. */
  revoke(reason: Error): void {
    this.revocation.revoke(reason);
  }

  /** Streams keep no results: whatever the handler returned is none of their business. */
  async ack(): Promise<void> {
    if (this.isAcked) return; // done is done; the server has forgotten it
    const { queue, entryId, token } = this.entry;
    await this.port.settle({ verb: 'ack', queue, id: entryId, token });
    this.isAcked = true;
  }

  nack({ error, retryInMs }: Rejection): Promise<void> {
    const verb = retryInMs === null ? 'dead' : 'requeue';
    return this.end(verb, Math.ceil(retryInMs ?? 0), reasonOf(error));
  }

  async release(options: { readonly delayMs?: number } = {}): Promise<void> {
    const delayMs = checkDuration('delayMs', options.delayMs ?? 0, { min: 0 });
    await this.end(delayMs > 0 ? 'postpone' : 'release', delayMs, '');
  }

  extend(): Promise<void> {
    return this.port.extend(this);
  }

  private end(
    verb: 'dead' | 'requeue' | 'postpone' | 'release',
    delayMs: number,
    reason: string,
  ): Promise<void> {
    const { queue, entryId, token } = this.entry;
    return this.port.settle({ verb, queue, id: entryId, token, delayMs, reason });
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
