import {
  checkDuration,
  checkKeys,
  checkList,
  InvalidOptionError,
  OperationalError,
  PayloadError,
} from '../errors/index.js';
import { newId, allOrPartial, checkHeaders, Gatherer, isWellFormed } from '../delivery/index.js';
import { asText, checkName, pickOptions, type KeySpace } from '../redis/index.js';
import type { NewStreamMessage, StreamPublishOptions, StreamBody } from './stream.message.js';
import { openCore, spaceOf, STANDALONE_NAMES, type StreamsCore } from './streams.core.js';
import { MAX_BATCH, resolveStreamsOptions, type StreamProducerOptions } from './streams.options.js';
import { publishScript } from './streams.scripts.js';

interface Encoded {
  readonly delayMs: number;
  readonly id: string;
  readonly headers: string;
  readonly body: string | Buffer;
}

const OWN_OPTIONS = ['maxLen', 'maxPayloadBytes'] as const;

/** Appends messages to the stream of one queue. */
export class StreamProducer {
  /** The queue's name. */
  readonly queue: string;
  private readonly core: StreamsCore;
  private readonly space: KeySpace;
  private readonly messages: Gatherer<Encoded, string>;

  /**
   * @param core shared within a transport; left out by applications.
   * @throws InvalidOptionError naming the option; nothing is opened before the first call.
   */
  constructor(options: StreamProducerOptions, core?: StreamsCore) {
    checkKeys('options', options, [...STANDALONE_NAMES, ...OWN_OPTIONS]);
    const { queue = 'default' } = options;
    this.queue = checkName('queue', queue);
    this.core = core ?? openAlone(options);
    this.space = spaceOf(this.core, this.queue);
    this.messages = new Gatherer({
      maxItems: MAX_BATCH,
      maxCalls: 1, // a call that has to be sent again must not be overtaken by the next one
      sizeOf: ({ body }) => body.length,
      send: (batch) => this.sendBatch(batch),
    });
  }

  /** False after a connection or time-out error, true after the next success. */
  get connected(): boolean {
    return this.core.connection.connected;
  }

  /**
   * Publishes one message; those of one tick share a round trip. Answers its id: that of its
   * entry, or, for a delayed one, an id made here.
   *
   * A message whose reply was lost may be in the stream: `outcomeAmbiguous` says so.
   *
   * @throws InvalidOptionError, PayloadError before anything is sent; OperationalError
   */
  async publish(body: StreamBody, options: StreamPublishOptions = {}): Promise<string> {
    return this.send(this.encode(body, options));
  }

  /**
   * Publishes many messages, up to 500 a round trip; all are checked before the first is sent.
   *
   * @throws InvalidOptionError, PayloadError before anything is sent; PartialFailureError when some
   * were written, its `results` an id or an error a message; OperationalError when none was
   */
  async publishMany(messages: readonly NewStreamMessage[]): Promise<string[]> {
    const encoded = checkList('messages', messages).map((message) => {
      if (typeof message === 'string' || message instanceof Uint8Array)
        return this.encode(message, {});
      checkKeys('message', message, ['body', 'delayMs', 'headers']);
      const { body, ...options } = message;
      return this.encode(body, options);
    });
    return allOrPartial(await Promise.allSettled(encoded.map((one) => this.send(one))));
  }

  /** Closes the connection that this producer opened; a client that was handed over stays open. */
  async close(): Promise<void> {
    if (this.core.ownsConnection) await this.core.connection.close();
  }

  private encode(body: unknown, options: StreamPublishOptions): Encoded {
    checkKeys('options', options, ['delayMs', 'headers']);
    const { delayMs = 0, headers } = options;
    return {
      delayMs: checkDuration('delayMs', delayMs, { min: 0 }),
      id: delayMs > 0 ? newId() : '',
      headers: checkHeaders('headers', headers),
      body: this.encodeBody(body),
    };
  }

  private encodeBody(body: unknown): string | Buffer {
    const { maxPayloadBytes } = this.core.settings;
    if (typeof body !== 'string' && !(body instanceof Uint8Array)) {
      throw new InvalidOptionError('body', 'expected a text or bytes (Buffer, Uint8Array)');
    }
    if (typeof body === 'string' && !isWellFormed(body)) {
      throw new PayloadError('body: half of a surrogate pair is no text; give bytes');
    }
    const size = typeof body === 'string' ? Buffer.byteLength(body) : body.length;
    if (size > maxPayloadBytes) {
      throw new PayloadError(
        `body: ${size} bytes are more than maxPayloadBytes (${maxPayloadBytes}) allows`,
      );
    }
    return typeof body === 'string' ? body : Buffer.from(body);
  }

  private async sendBatch(batch: readonly Encoded[]): Promise<readonly string[]> {
    const { connection, settings } = this.core;
    const [only] = batch;
    if (batch.length === 1 && only.delayMs === 0 && settings.maxLen === null) {
      return [await this.sendPlain(only)];
    }
    const messages = batch.flatMap(flat);
    return publishScript.run(connection, this.space, { maxLen: settings.maxLen ?? 0, messages });
  }

  /** One at a time the bare command is a third faster than the script. */
  private async sendPlain({ headers, body }: Encoded): Promise<string> {
    const fields = headers === '' ? ['body', body] : ['body', body, 'headers', headers];
    const args = [this.space.key('stream'), '*', ...fields];
    return asText(await this.core.connection.command('xadd', args));
  }

  private async send(message: Encoded): Promise<string> {
    const id = await this.messages.add(message);
    if (!id.startsWith('-')) return id;
    throw new OperationalError(`the server refused the message: ${id.slice(1)}`, {
      retryable: true,
      outcomeAmbiguous: false,
    });
  }
}

function openAlone(options: StreamProducerOptions): StreamsCore {
  const settings = resolveStreamsOptions(pickOptions(options, OWN_OPTIONS), '');
  return openCore(options, settings, 'StreamProducer');
}

function flat({ delayMs, id, headers, body }: Encoded): (string | Buffer)[] {
  return [String(delayMs), id, headers, body];
}
