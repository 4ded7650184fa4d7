import {
  checkKeys,
  checkList,
  checkOneOf,
  ClosedError,
  OperationalError,
} from '../errors/index.js';
import { encodePayload } from '../delivery/index.js';
import { checkName, pickOptions, type KeySpace } from '../redis/index.js';
import type { NewStreamPayload, StreamPublishOptions } from './stream.message.js';
import { StreamConsumer } from './stream.consumer.js';
import { StreamDeadLetters } from './stream.dead-letters.js';
import { StreamProducer } from './stream.producer.js';
import { COUNT_LIMIT, toHealth, type StreamHealth, type StreamStats } from './stream.stats.js';
import { borrowed, openCore, spaceOf, STANDALONE_NAMES, type StreamsCore } from './streams.core.js';
import {
  resolveStreamsOptions,
  STREAMS_OPTION_NAMES,
  type StreamReadOptions,
  type StreamTransportOptions,
} from './streams.options.js';
import { joinGroup } from './stream-group.js';
import { dropGroupScript, statsScript } from './streams.scripts.js';

/** A group whose consumers have not asked for this long is told as abandoned, in milliseconds. */
const ABANDONED_MS = 600_000;

const NOTHING: StreamStats = { length: 0, delayed: 0, dead: 0, ghosts: 0, lost: 0, groups: [] };

/**
 * The streams engine of one queue: a producer, consumers, and what is to be known about both.
 *
 * Injectable in a Nest application (bound to the queue `default`; `queue(name)` gives another
 * one), and usable without Nest. Every consumer group gets every message; within a group the
 * messages are shared, at least once each, roughly in the order in which they came.
 */
export class StreamTransport {
  /** The queue's name. */
  readonly name: string;
  /** Appends to the queue's stream. */
  readonly producer: StreamProducer;
  readonly deadLetters: StreamDeadLetters;
  private readonly core: StreamsCore;
  private readonly space: KeySpace;
  private readonly consumers = new Set<StreamConsumer>();
  private lastStats = NOTHING;
  private isClosed = false;

  /**
   * @param core shared by the transports that `queue()` makes; left out by applications.
   * @throws InvalidOptionError naming the option; nothing is opened before the first call.
   */
  constructor(options: StreamTransportOptions, core?: StreamsCore) {
    checkKeys('options', options, [...STANDALONE_NAMES, ...STREAMS_OPTION_NAMES]);
    const { queue = 'default' } = options;
    this.name = checkName('queue', queue);
    this.core = core ?? openAlone(options);
    this.space = spaceOf(this.core, this.name);
    this.producer = new StreamProducer({ queue: this.name }, borrowed(this.core));
    this.deadLetters = new StreamDeadLetters(this.core, this.space);
  }

  /** False after a connection or time-out error, true after the next success. */
  get connected(): boolean {
    const { connection } = this.core;
    return connection.connected && [...this.consumers].every((consumer) => consumer.connected);
  }

  /** The transport of another queue over the same connection and with the same options. */
  queue(name: string): StreamTransport {
    checkName('queue', name); // an undefined one must not mean the default queue
    return name === this.name ? this : new StreamTransport({ queue: name }, borrowed(this.core));
  }

  /**
   * A consumer of this queue, or of those it names, over the same connection. `close` of the
   * transport stops it.
   *
   * @throws InvalidOptionError naming the option; ClosedError after `close`
   */
  consumer(options: StreamReadOptions = {}): StreamConsumer {
    if (this.isClosed || this.core.connection.isClosed)
      throw new ClosedError(`the transport ${this.name}`);
    checkKeys('options', options, CONSUMER_NAMES);
    const place = options.queues === undefined ? { queue: this.name } : {};
    const consumer = new StreamConsumer({ ...options, ...place }, borrowed(this.core));
    for (const one of this.consumers) if (one.isStopped) this.consumers.delete(one);
    this.consumers.add(consumer);
    return consumer;
  }

  /**
   * Publishes a payload, encoded by the codec; see `StreamProducer.publish`, which takes bytes.
   *
   * @throws InvalidOptionError, PayloadError before anything is sent; OperationalError
   */
  async append(payload: unknown, options: StreamPublishOptions = {}): Promise<string> {
    return this.producer.publish(this.encode(payload), options);
  }

  /**
   * Publishes many payloads in few round trips; all are checked before the first is sent.
   *
   * @throws as `StreamProducer.publishMany`: PartialFailureError when some were written
   */
  async appendMany(payloads: readonly NewStreamPayload[]): Promise<readonly string[]> {
    const messages = checkList('payloads', payloads).map((one) => {
      const { payload, ...options } = checkKeys('payload', one, [
        'payload',
        'delayMs',
        'headers',
      ]) as unknown as NewStreamPayload;
      return { ...options, body: this.encode(payload) };
    });
    return this.producer.publishMany(messages);
  }

  /** The queue's counters, group by group. */
  async stats(): Promise<StreamStats> {
    const args = { countLimit: COUNT_LIMIT };
    this.lastStats = await statsScript.run(this.core.connection, this.space, args);
    return this.lastStats;
  }

  /** What a probe wants to know; never rejects for a server that is away. */
  async health(): Promise<StreamHealth> {
    try {
      const stats = await this.stats();
      return { ...toHealth(stats, ABANDONED_MS), connected: this.connected };
    } catch (error) {
      const { message } = error as Error;
      if (!(error instanceof OperationalError)) throw error;
      return { ...toHealth(this.lastStats, ABANDONED_MS), connected: false, error: message };
    }
  }

  /**
   * Makes a group before its first consumer comes; `false` when it is there already.
   *
   * What every known group has settled is trimmed, so a group that must see everything has to be
   * there before the first entry that others settle.
   *
   * @param from all that is in the stream, or what comes from now on; by default the engine's
   */
  async createGroup(group: string, from = this.core.settings.from): Promise<boolean> {
    return joinGroup(this.core, this.space, {
      group: checkName('group', group),
      from: checkOneOf('from', from, ['start', 'now']),
    });
  }

  /**
   * Ends a group that nobody reads for any more, with all that it still had to be given; `false`
   * when there is none of that name. Stop its consumers first, or they make it anew.
   */
  async dropGroup(group: string): Promise<boolean> {
    const args = { group: checkName('group', group) };
    return dropGroupScript.run(this.core.connection, this.space, args);
  }

  /** Stops its consumers and closes what it opened; a client that was handed over stays open. */
  async close(): Promise<void> {
    this.isClosed = true;
    await Promise.all([...this.consumers].map((consumer) => consumer.close()));
    if (this.core.ownsConnection) await this.core.connection.close();
  }

  private encode(payload: unknown): string | Buffer {
    const { codec, maxPayloadBytes } = this.core.settings;
    return encodePayload(codec, payload, { maxBytes: maxPayloadBytes });
  }
}

const CONSUMER_NAMES = [
  'queues',
  'group',
  'leaseMs',
  'maxDeliveries',
  'prefetch',
] as const satisfies readonly (keyof StreamReadOptions)[];

function openAlone(options: StreamTransportOptions): StreamsCore {
  const settings = resolveStreamsOptions(pickOptions(options, STREAMS_OPTION_NAMES), '');
  return openCore(options, settings, 'StreamTransport');
}
