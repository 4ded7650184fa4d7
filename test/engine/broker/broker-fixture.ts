import { Redis } from 'ioredis';
import {
  QueueBroker,
  type BrokerQueue,
  type QueueBrokerOptions,
} from '../../../lib/broker/index.js';
import { newId } from '../../../lib/delivery/index.js';
import { REDIS_URL, testPrefix } from '../../support/test-prefix.js';
import { auditNamespace } from './namespace-audit.js';

/** A namespace of its own for every test, seen by as many brokers as the test opens. */
export class BrokerFixture {
  redis!: Redis;
  namespace = '';
  broker!: QueueBroker;
  /** Set by tests that damage their namespace by hand and leave it so. */
  isDamaged = false;
  private readonly scope;
  private brokers: QueueBroker[] = [];

  constructor(
    word: string,
    readonly url = REDIS_URL,
  ) {
    this.scope = testPrefix(word, url);
  }

  get prefix(): string {
    return this.scope.prefix;
  }

  get base(): string {
    return `${this.prefix}:broker:{${this.namespace}}`;
  }

  open(): void {
    this.redis ??= new Redis(this.url);
    this.namespace = `n${newId()}`;
    this.isDamaged = false;
    this.broker = this.another();
  }

  /** Every test ends with a namespace whose sets and tables tell the same. */
  async close(): Promise<void> {
    await Promise.all(this.brokers.splice(0).map((broker) => broker.close()));
    if (!this.isDamaged) expect(await auditNamespace(this.redis, this.base)).toEqual([]);
  }

  async end(): Promise<void> {
    await this.scope.cleanUp();
    this.redis.disconnect();
  }

  /** The same namespace as another process sees it, over connections of its own. */
  another<Body = string>(options: Partial<QueueBrokerOptions> = {}): QueueBroker<Body> {
    const { url, prefix, namespace } = this;
    const broker = new QueueBroker<Body>({ connection: { url }, prefix, namespace, ...options });
    this.brokers.push(broker as unknown as QueueBroker);
    return broker;
  }

  queue(name: string): BrokerQueue {
    return this.broker.queue(name);
  }

  /** Inserts messages with exact ids, whose bodies name their ids. */
  async insert(queue: string, ...ids: number[]): Promise<void> {
    await this.broker.insert(ids.map((id) => ({ queue, id: BigInt(id), body: `m${id}` })));
  }

  key(...parts: string[]): string {
    return [this.base, ...parts].join(':');
  }

  /** Every key of the namespace with its content, to prove that nothing was changed. */
  async snapshot(): Promise<Record<string, string>> {
    const found: Record<string, string> = {};
    for (const key of (await this.scope.keys()).filter((one) => one.startsWith(this.base))) {
      const dump = await this.redis.dumpBuffer(key);
      found[key.slice(this.base.length)] = dump.toString('hex');
    }
    return found;
  }

  /** The keys of the namespace, without the common beginning. */
  async keys(): Promise<string[]> {
    const keys = await this.scope.keys();
    return keys
      .filter((key) => key.startsWith(this.base))
      .map((key) => key.slice(this.base.length));
  }

  /** Makes the open batches so much older, as if the time had passed. */
  async age(ms: number): Promise<void> {
    const key = this.key('batches');
    for (const token of await this.redis.zrange(key, '0', '-1')) {
      await this.redis.zincrby(key, -ms, token);
    }
  }

  /** Ends all leases and delays of a queue. */
  async lapse(queue: string): Promise<void> {
    const key = this.key('q', queue, 'leases');
    for (const id of await this.redis.zrange(key, '0', '-1')) await this.redis.zadd(key, 1, id);
  }
}

/** A namespace of its own for every test of the file. */
export function useBroker(word: string): BrokerFixture {
  const fixture = new BrokerFixture(word);
  beforeEach(() => fixture.open());
  afterEach(() => fixture.close());
  afterAll(() => fixture.end());
  return fixture;
}

interface Failure {
  code?: string;
  option?: string;
  retryable?: boolean;
}

/** What a call throws or rejects with, as far as tests compare it. */
export async function refusal(call: () => unknown): Promise<Failure> {
  try {
    await call();
  } catch (error) {
    const { code, option, retryable } = error as Failure;
    return { code, ...(option !== undefined && { option }), ...(retryable && { retryable }) };
  }
  return {};
}

/** The bodies of messages. */
export function bodiesOf(messages: readonly { readonly body: unknown }[]): unknown[] {
  return messages.map(({ body }) => body);
}

/** The ids of messages. */
export function idsOf(messages: readonly { readonly id: bigint }[]): bigint[] {
  return messages.map(({ id }) => id);
}

/** Everything that an async generator still yields. */
export async function collect<T>(all: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const one of all) found.push(one);
  return found;
}
