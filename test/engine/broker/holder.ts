import {
  createBrokerEngine,
  RedisBackend,
  type BrokerEngine,
  type BrokerOptions,
  type BrokerQueue,
  type QueueBroker,
} from '../../../lib/broker/index.js';
import { resolveBrokerOptions } from '../../../lib/broker/broker.options.js';
import type { Delivery, DeliverySource } from '../../../lib/contract/index.js';
import { RedisConnection } from '../../../lib/redis/index.js';
import type { BrokerFixture } from './broker-fixture.js';

/** What the loop of a holder asks for. */
export const TARGET = { queue: 'q', slots: 4, leaseMs: 30_000, attempts: 2 };
/** Why a handler gave up. */
export const FAILURE = new Error('no luck');

const { signal } = new AbortController();

/** A process that works on the queue `q` of the fixture's namespace, over a connection of its own. */
export class Holder {
  engine!: BrokerEngine;
  broker!: QueueBroker;
  backend!: RedisBackend;
  source!: DeliverySource;
  private connection!: RedisConnection;

  constructor(
    private readonly fixture: BrokerFixture,
    private readonly options: BrokerOptions = {},
  ) {}

  open(): this {
    const { url, prefix, namespace } = this.fixture;
    const options = { namespace, ...this.options };
    const connection = (this.connection = new RedisConnection({ connection: { url } }));
    const settings = resolveBrokerOptions(options);
    this.backend = new RedisBackend({ connection, prefix, settings, ownsConnection: false });
    const { backend } = this;
    const made = createBrokerEngine({ connection, prefix, options: { ...options, backend } });
    this.engine = made.engine;
    this.broker = made.driver;
    this.source = this.engine.source(TARGET);
    return this;
  }

  async close(): Promise<void> {
    await this.source.close();
    await this.connection.close();
  }

  get queue(): BrokerQueue {
    return this.broker.queue(TARGET.queue);
  }

  hold(limit = 1): Promise<readonly Delivery[]> {
    return this.source.claim({ limit, signal });
  }

  /** Holds one message and gives it back for so long. */
  async postpone(retryInMs: number): Promise<Delivery> {
    const [delivery] = await this.hold();
    await delivery.nack({ error: FAILURE, retryInMs });
    return delivery;
  }

  async upkeep(): Promise<{ readonly nextInMs: number }> {
    return this.engine.upkeep(TARGET)[0].run(signal);
  }
}

/** A holder for every test of the file. */
export function useHolder(fixture: BrokerFixture, options: BrokerOptions = {}): Holder {
  const holder = new Holder(fixture, options);
  beforeEach(() => void holder.open());
  afterEach(() => holder.close());
  return holder;
}
