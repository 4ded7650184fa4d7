import { Logger } from '@nestjs/common';
import type { HandlerLogger } from '../contract/index.js';
import { AliasError, checkKeys, ClosedError, ReservedError } from '../errors/index.js';
import {
  checkPrefix,
  DEFAULT_PREFIX,
  openStandalone,
  pickOptions,
  STANDALONE_OPTIONS,
} from '../redis/index.js';
import { AutoVacuum } from './auto-vacuum.js';
import { decodeBody, encodeBody } from './body.js';
import type { BrokerBackend, StoredRow } from './broker.backend.js';
import {
  BROKER_OPTION_NAMES,
  resolveBrokerOptions,
  type BrokerSettings,
  type QueueBrokerOptions,
} from './broker.options.js';
import type { BrokerMessage } from './message.js';
import { RedisBackend } from './redis.backend.js';
import { StaleBatches } from './stale-batches.js';

/** What a broker, its handles, its waiters and its engine share. */
export class BrokerCore {
  readonly recovery: StaleBatches;
  /** What runs by itself until it is stopped. */
  readonly watchers = new Set<{ stop(): Promise<void> }>();
  private readonly vacuum: AutoVacuum;
  private knownLastId: bigint | null = null;
  private closing: Promise<void> | null = null;

  constructor(
    readonly backend: BrokerBackend,
    readonly settings: BrokerSettings,
    readonly logger: HandlerLogger,
  ) {
    this.recovery = new StaleBatches(backend, settings.staleBatchMs, logger);
    this.vacuum = new AutoVacuum(backend, settings);
  }

  /** The cached high-water mark, read at the first call. */
  async lastId(): Promise<bigint> {
    return this.knownLastId ?? this.refreshLastId();
  }

  /** The high-water mark of the server, which is a low one again after a clean-up elsewhere. */
  async refreshLastId(): Promise<bigint> {
    const known = this.knownLastId;
    const { lastId } = await this.backend.meta();
    if (this.knownLastId === known) this.knownLastId = lastId;
    else this.sawId(lastId); // a write was answered meanwhile, perhaps after the look
    return lastId;
  }

  /** Takes note of an id; does not lower the mark. */
  sawId(id: bigint): bigint {
    if (this.knownLastId === null || id > this.knownLastId) this.knownLastId = id;
    return this.knownLastId;
  }

  /** Deletes the namespace, and forgets its mark. */
  async cleanUp(): Promise<boolean> {
    const wasThere = await this.cleanUpOrRecover();
    this.knownLastId = null;
    return wasThere;
  }

  /** Takes note of rows whose change was committed; every so often a vacuum follows. */
  mutated(rows = 1): void {
    this.vacuum.count(rows);
  }

  encode(body: unknown): string | Buffer {
    return encodeBody(body, this.settings);
  }

  message<Body>(queue: string, { id, body }: StoredRow): BrokerMessage<Body> {
    return { id, queue, ...decodeBody(body, this.settings) } as BrokerMessage<Body>;
  }

  /** The queue's own name, also behind `@alias`. @throws AliasError */
  async resolve(reference: string): Promise<string> {
    if (!reference.startsWith('@')) return reference;
    const target = (await this.backend.aliases()).get(reference.slice(1));
    if (target === undefined) throw new AliasError(`there is no alias ${reference}`);
    return target;
  }

  /** @throws ClosedError once `close` was called */
  assertOpen(): void {
    if (this.closing !== null) throw new ClosedError('the queue broker');
  }

  /** Stops the watchers; resolves when their handlers in progress have ended, which may be never. */
  async stop(): Promise<void> {
    await Promise.all([...this.watchers].map((watcher) => watcher.stop()));
  }

  close(): Promise<void> {
    return (this.closing ??= this.closeOnce());
  }

  private async cleanUpOrRecover(): Promise<boolean> {
    try {
      return await this.backend.cleanUp();
    } catch (error) {
      // by an abandoned batch, perhaps; not looked for before, since that would make a namespace
      if (!(error instanceof ReservedError) || (await this.recovery.run()) === 0) throw error;
      return this.backend.cleanUp();
    }
  }

  private async closeOnce(): Promise<void> {
    void this.stop();
    await this.vacuum.close();
    await this.backend.close();
  }
}

const OWN_NAMES = [...STANDALONE_OPTIONS, ...BROKER_OPTION_NAMES, 'prefix'];

/**
 * What a broker used alone needs; nothing is sent yet, and with a backend of its own nothing is
 * opened here.
 */
export function openCore(options: QueueBrokerOptions): BrokerCore {
  checkKeys('options', options, OWN_NAMES);
  const { prefix = DEFAULT_PREFIX, logger = new Logger('QueueBroker') } = options;
  const settings = resolveBrokerOptions(pickOptions(options, BROKER_OPTION_NAMES), 'options');
  if (settings.backend !== null) return new BrokerCore(settings.backend, settings, logger);
  const checked = checkPrefix('prefix', prefix);
  const connection = openStandalone({ ...options, logger }, 'broker');
  const parts = { connection, prefix: checked, settings, ownsConnection: true };
  return new BrokerCore(new RedisBackend(parts), settings, logger);
}
