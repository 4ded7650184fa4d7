import { Redis } from 'ioredis';
import { newId } from '../../../lib/delivery/index.js';
import { encodeName } from '../../../lib/redis/index.js';
import {
  StreamConsumer,
  StreamProducer,
  StreamTransport,
  type StreamConsumed,
  type StreamConsumerOptions,
  type StreamTransportOptions,
} from '../../../lib/streams/index.js';
import { RecordingLogger } from '../../contract/logs.js';
import { REDIS_URL, testPrefix } from '../../support/test-prefix.js';

/** What a test says of its consumer; the rest is the fixture's. */
export type ConsumerPart = Omit<StreamConsumerOptions, 'url' | 'client' | 'connection' | 'prefix'>;

/** Something that is closed after the test. */
interface Closable {
  close(): Promise<void>;
}

/** The queue of the running test and what the test opened on it. */
export class StreamsFixture {
  redis!: Redis;
  /** A fresh name for every test. */
  queue = '';
  producer!: StreamProducer;
  logger = new RecordingLogger();
  private readonly scope;
  private opened: Closable[] = [];

  constructor(
    word: string,
    readonly url = REDIS_URL,
  ) {
    this.scope = testPrefix(word, url);
  }

  get prefix(): string {
    return this.scope.prefix;
  }

  open(): void {
    this.redis ??= new Redis(this.url);
    this.queue = `q${newId()}`;
    this.logger = new RecordingLogger();
    this.producer = this.keep(new StreamProducer(this.place()));
  }

  /** Ends whatever a test left open; also after one that failed half way. */
  async close(): Promise<void> {
    await Promise.all(this.opened.splice(0).map((one) => one.close()));
  }

  async end(): Promise<void> {
    await this.scope.cleanUp();
    this.redis.disconnect();
  }

  /** Whether the key is the queue's, without the common beginning. */
  async keys(): Promise<string[]> {
    const base = this.key('');
    const keys = await this.scope.keys();
    return keys.filter((key) => key.startsWith(base)).map((key) => key.slice(base.length));
  }

  key(part: string, queue = this.queue): string {
    return `${this.prefix}:streams:{${encodeName(queue)}}:${part}`;
  }

  consumer(options: ConsumerPart = {}): StreamConsumer {
    const place = options.queues === undefined ? this.place() : this.placeWithoutQueue();
    return this.keep(new StreamConsumer({ blockMs: 200, ...place, ...options }));
  }

  transport(options: Partial<StreamTransportOptions> = {}): StreamTransport {
    return this.keep(new StreamTransport({ blockMs: 200, ...this.place(), ...options }));
  }

  /** The next deliveries of a consumer, as many as are asked for. */
  async take(consumer: StreamConsumer, count = 1): Promise<StreamConsumed[]> {
    const taken: StreamConsumed[] = [];
    const deliveries = consumer.deliveries();
    while (taken.length < count) taken.push((await deliveries.next()).value as StreamConsumed);
    return taken;
  }

  async takeOne(consumer: StreamConsumer): Promise<StreamConsumed> {
    return (await this.take(consumer))[0];
  }

  /** How many entries are pending for a group. */
  async pending(group = 'default'): Promise<number> {
    const [count] = (await this.redis.xpending(this.key('stream'), group)) as [number];
    return count;
  }

  async consumerNames(group = 'default'): Promise<string[]> {
    const rows = (await this.redis.xinfo('CONSUMERS', this.key('stream'), group)) as string[][];
    return rows.map((row) => row[row.indexOf('name') + 1]);
  }

  /** The fields of the dead letters, oldest first. */
  async letters(): Promise<Record<string, string>[]> {
    const entries = await this.redis.xrange(this.key('dead'), '-', '+');
    return entries.map(([, flat]) => {
      const pairs = flat.flatMap((_, at) => (at % 2 === 0 ? [[flat[at], flat[at + 1]]] : []));
      return Object.fromEntries(pairs) as Record<string, string>;
    });
  }

  /** The server's clock. */
  async now(): Promise<number> {
    const [seconds, micros] = await this.redis.time();
    return Number(seconds) * 1_000 + Math.floor(Number(micros) / 1_000);
  }

  private placeWithoutQueue() {
    return { url: this.url, prefix: this.prefix, logger: this.logger };
  }

  private place() {
    return { ...this.placeWithoutQueue(), queue: this.queue };
  }

  private keep<T extends Closable>(one: T): T {
    this.opened.push(one);
    return one;
  }
}

/** A queue of its own for every test of the file. */
export function useStreams(word: string): StreamsFixture {
  const streams = new StreamsFixture(word);
  beforeEach(() => streams.open());
  afterEach(() => streams.close());
  afterAll(() => streams.end());
  return streams;
}

/** The bodies of deliveries, as text. */
export function bodiesOf(consumed: readonly StreamConsumed[]): string[] {
  return consumed.map(({ body }) => body.toString());
}

/** Collects from an iterator until the consumer stops; acks each unless told otherwise. */
export async function collect(
  consumer: StreamConsumer,
  act: (one: StreamConsumed) => unknown = (one) => one.ack(),
): Promise<StreamConsumed[]> {
  const seen: StreamConsumed[] = [];
  for await (const one of consumer.deliveries()) {
    seen.push(one);
    await act(one);
  }
  return seen;
}
