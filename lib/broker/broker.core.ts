import { setMaxListeners } from 'node:events';
import { Logger } from '@nestjs/common';
import type { HandlerLogger } from '../contract/index.js';
import { AliasError, checkKeys, ClosedError, ReservedError } from '../errors/index.js';
import {
  checkPrefix,
  DEFAULT_PREFIX,
  openStandalone,
  pickOptions,
  settled,
  STANDALONE_OPTIONS,
} from '../redis/index.js';
import { AutoVacuum } from './auto-vacuum.js';
import { decodeBody, encodeBody } from './body.js';
import type { BrokerBackend } from './broker.backend.js';
import {
  BROKER_OPTION_NAMES,
  resolveBrokerOptions,
  type BrokerSettings,
  type QueueBrokerOptions,
} from './broker.options.js';
import type { BrokerMessage, StoredRow } from './message.js';
import { RedisBackend } from './redis.backend.js';
import { StaleBatches } from './stale-batches.js';

/** How long a close waits until open batches are given back, in milliseconds. */
const GIVE_BACK_MS = 1_000;

/** What a broker, its handles, its waiters and its engine share. */
export class BrokerCore {
  readonly recovery: StaleBatches;
  /** What runs by itself until it is stopped. */
  readonly watchers = new Set<{ stop(): Promise<void> }>();
  /** Those whose waits a close ends. */
  readonly waiters = new Set<{ close(): Promise<void> }>();
  /** Those whose messages a close gives back. */
  readonly batches = new Set<{ giveBack(signal: AbortSignal): Promise<void> }>();
  private readonly vacuum: AutoVacuum;
  private knownLastId: bigint | null = null;
  private isClosed = false;
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

  /** @throws ClosedError once it is closed */
  assertOpen(): void {
    if (this.isClosed) throw new ClosedError('the queue broker');
  }

  /** Stops the watchers; resolves when their handlers in progress have ended, which may be never. */
  async stop(): Promise<void> {
    await Promise.all([...this.watchers].map((watcher) => watcher.stop()));
  }

  /**
   * Ends what is under way, and closes the backend; a later call waits for the first and does
   * nothing, also after one that threw.
   *
   * @param graceMs how long handlers of watchers are waited for; all verbs still work meanwhile
   */
  close(graceMs = 0): Promise<void> {
    if (this.closing !== null) return this.closing.catch(() => undefined);
    return (this.closing = this.closeOnce(graceMs));
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

  private async closeOnce(graceMs: number): Promise<void> {
    const stopping = this.stop();
    if (this.watchers.size > 0 && graceMs > 0) await settled(stopping, graceMs);
    this.isClosed = true;
    // their registrations end with the backend
    for (const waiter of this.waiters) waiter.close().catch(() => undefined);
    await this.giveBackBatches();
    await this.vacuum.close();
    await this.backend.close();
  }

  private async giveBackBatches(): Promise<void> {
    if (this.batches.size === 0) return;
    const signal = AbortSignal.timeout(GIVE_BACK_MS);
    setMaxListeners(0, signal); // a listener a batch: no leak
    const givingBack = [...this.batches].map((batch) => batch.giveBack(signal));
    await settled(Promise.allSettled(givingBack), GIVE_BACK_MS);
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
