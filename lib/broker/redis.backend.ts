import { randomBytes } from 'node:crypto';
import { AliasError, IntegrityError } from '../errors/index.js';
import { Gatherer } from '../delivery/index.js';
import type { RedisConnection, Subscription } from '../redis/index.js';
import {
  BROKER_API_VERSION,
  type BackendMeta,
  type BatchName,
  type BatchRequest,
  type BroadcastRequest,
  type BrokerBackend,
  type FindRequest,
  type FoundRows,
  type NewRow,
  type OpenBatch,
  type PeekScope,
  type RowRequest,
  type UnreadPage,
  type WaitingRequest,
} from './broker.backend.js';
import type { BrokerSettings } from './broker.options.js';
import * as scripts from './broker.scripts.js';
import { formatId } from './ids.js';
import type { QueueStats } from './message.js';
import { RedisHolds } from './redis.holds.js';
import { RedisStorage } from './redis.storage.js';
import type { PeekedRow } from './row.replies.js';
import type { Bounds } from './selectors.js';
import { SingleReads } from './single-reads.js';
import { Turns } from './turns.js';

/** Messages in one call of the write script. */
const MAX_WRITES = 500;
/** Stale batches that one call looks at. */
const MAX_STALE = 100;

/** What the Redis backend is made of. */
export interface RedisBackendParts {
  readonly connection: RedisConnection;
  readonly prefix: string;
  readonly settings: BrokerSettings;
  /** Whether `close` closes the connection. */
  readonly ownsConnection: boolean;
}

/** The backend that brokers use by default: one namespace in one slot of a Redis. */
export class RedisBackend implements BrokerBackend {
  readonly name = 'the Redis backend';
  readonly apiVersion = BROKER_API_VERSION;
  readonly holds: RedisHolds;
  private readonly storage: RedisStorage;
  /** One call at a time, since two on two connections would lose the order of writing. */
  private readonly writes: Gatherer<NewRow, bigint | number>;
  /** The same, queue by queue. */
  private readonly newestWrites = new Turns();
  private readonly singleReads = new SingleReads((request) => this.readRows(request));

  constructor(private readonly parts: RedisBackendParts) {
    const { connection, prefix, settings } = parts;
    const { namespace, maxConnections, poolTimeoutMs } = settings;
    const pool = { maxConnections, poolTimeoutMs };
    this.storage = new RedisStorage({ connection, prefix, namespace, pool });
    this.holds = new RedisHolds(this.storage);
    this.writes = new Gatherer({
      maxItems: MAX_WRITES,
      maxCalls: 1,
      sizeOf: ({ body }) => body.length,
      send: (rows) => this.storage.run(scripts.writeScript, { rows: rows.flatMap(asArguments) }),
    });
  }

  get connected(): boolean {
    return this.storage.connected;
  }

  meta(): Promise<BackendMeta> {
    return this.storage.meta();
  }

  generateId(): Promise<bigint> {
    return this.storage.run(scripts.generateIdScript, {});
  }

  advanceLastId(id: bigint): Promise<bigint> {
    return this.storage.run(scripts.advanceIdScript, { id: formatId(id) });
  }

  async write(row: NewRow): Promise<bigint> {
    const id = await this.writes.add(row);
    if (typeof id === 'bigint') return id;
    if (id === 0) throw new AliasError(`there is no alias ${row.queue}`);
    throw new IntegrityError(`a key of ${row.queue} is of another type`);
  }

  writeNewest({ queue, body }: NewRow, keepNewest: number): Promise<bigint> {
    const args = { name: queue, keep: keepNewest, body };
    return this.newestWrites.take(queue, () => this.storage.run(scripts.writeNewestScript, args));
  }

  insert(rows: readonly (NewRow & { readonly id: bigint })[]): Promise<bigint> {
    const flat = rows.flatMap(({ queue, id, body }) => [queue, formatId(id), body]);
    return this.storage.run(scripts.insertScript, { rows: flat });
  }

  broadcast({ mode, body, queues }: BroadcastRequest) {
    return this.storage.run(scripts.broadcastScript, { mode, body, queues });
  }

  read(request: RowRequest): Promise<FoundRows> {
    if (this.singleReads.fits(request)) return this.singleReads.add(request);
    return this.readRows(request);
  }

  peek(request: RowRequest, scope: PeekScope): Promise<FoundRows<PeekedRow>> {
    const args = { name: request.queue, ...selected(request), scope };
    return this.storage.run(scripts.peekScript, args);
  }

  async firstWaiting({ queue, after, order }: WaitingRequest): Promise<bigint | null> {
    const args = { name: queue, after: textOf(after), order };
    return (await this.storage.runAll(scripts.firstWaitingScript, args)).id;
  }

  unread({ after, before, limit }: Bounds): Promise<UnreadPage> {
    const bounds = { after: textOf(after), before: textOf(before) };
    return this.storage.run(scripts.dumpScript, { ...bounds, limit });
  }

  move(request: RowRequest, target: string, withClaimed: boolean): Promise<FoundRows> {
    const names = { sourceName: request.queue, targetName: target };
    return this.storage.runAll(scripts.moveScript, { ...names, ...selected(request), withClaimed });
  }

  /** Window by window, until there are enough or the end is reached. */
  async find({ queue, text, withClaimed, limit, ...bounds }: FindRequest): Promise<bigint[]> {
    const before = textOf(bounds.before);
    const ids: bigint[] = [];
    for (let after = textOf(bounds.after); ids.length < limit;) {
      const page = await this.storage.runAll(scripts.findScript, {
        ...{ name: queue, needle: text, after, before },
        ...{ limit: limit - ids.length, withClaimed },
      });
      ids.push(...page.ids);
      if (page.cursor === '') break;
      after = page.cursor;
    }
    return ids;
  }

  deleteRows(queue: string, ids: readonly bigint[]): Promise<number> {
    return this.storage.run(scripts.deleteScript, { name: queue, ids: ids.map(formatId) });
  }

  deleteQueues(queues: readonly string[], before: bigint | null): Promise<number> {
    return this.storage.run(scripts.deleteQueuesScript, { before: textOf(before), names: queues });
  }

  vacuum(queue: string, limit: number, signal?: AbortSignal): Promise<number> {
    return this.storage.run(scripts.vacuumScript, { queue, limit }, { signal });
  }

  stats(queue: string): Promise<QueueStats> {
    return this.storage.run(scripts.statsScript, { name: queue });
  }

  /** A scan may show a queue twice; those that were there all along are shown. */
  async *queues(signal?: AbortSignal): AsyncGenerator<QueueStats> {
    const seen = new Set<string>();
    let cursor = '0';
    do {
      const page = await this.storage.run(scripts.queuesScript, { cursor }, { signal });
      for (const stats of page.queues) if (!seen.has(stats.queue)) yield stats;
      for (const { queue } of page.queues) seen.add(queue);
      cursor = page.cursor;
    } while (cursor !== '0');
  }

  rename(from: string, to: string, retargetAliases: boolean) {
    return this.storage.run(scripts.renameScript, { from, to, retarget: retargetAliases });
  }

  aliases(): Promise<ReadonlyMap<string, string>> {
    return this.storage.run(scripts.aliasesScript, {});
  }

  addAlias(alias: string, target: string) {
    return this.storage.run(scripts.addAliasScript, { alias, target });
  }

  removeAlias(alias: string): Promise<boolean> {
    return this.storage.run(scripts.removeAliasScript, { alias });
  }

  async beginBatch({ queue, target, after, before, limit }: BatchRequest): Promise<OpenBatch> {
    const token = randomBytes(16).toString('hex');
    const batch = await this.storage.runAll(scripts.beginBatchScript, {
      ...{ op: target === null ? 'read' : 'move', sourceName: queue, targetName: target ?? '' },
      ...{ token, after: textOf(after), before: textOf(before), limit },
    });
    return { token, ...batch };
  }

  endBatch(verb: 'commit' | 'rollback', batch: BatchName, signal?: AbortSignal): Promise<number> {
    const options = { signal, idempotent: verb === 'rollback' };
    return this.storage.run(scripts.endBatchScript, { verb, ...named(batch) }, options);
  }

  /** Call by call through all of them, so that none hides behind those that nobody can recover. */
  async staleBatches(olderThanMs: number, signal?: AbortSignal): Promise<BatchName[]> {
    const found: BatchName[] = [];
    for (let offset = 0; ;) {
      const args = { staleMs: olderThanMs, offset, limit: MAX_STALE };
      const page = await this.storage.run(scripts.staleBatchesScript, args, { signal });
      found.push(...page.batches);
      if (page.looked < MAX_STALE) return found;
      offset += page.looked;
    }
  }

  subscribe(queue: string, listener: () => void): Promise<Subscription> {
    return this.storage.subscribe(queue, listener);
  }

  cleanUp(): Promise<boolean> {
    return this.storage.clean();
  }

  async close(): Promise<void> {
    this.storage.close();
    if (this.parts.ownsConnection) await this.parts.connection.close();
  }

  private readRows(request: RowRequest): Promise<FoundRows> {
    return this.storage.runAll(scripts.readScript, { name: request.queue, ...selected(request) });
  }
}

function asArguments({ queue, body }: NewRow): (string | Buffer)[] {
  return [queue, body];
}

function selected({ exact, after, before, order, limit }: RowRequest) {
  return { exact: textOf(exact), after: textOf(after), before: textOf(before), order, limit };
}

function named({ token, queue, createdAt }: BatchName) {
  return { token, source: queue, created: formatId(createdAt) };
}

/** An id as a script's argument; '' stands for none. */
function textOf(id: bigint | null): string {
  return id === null ? '' : formatId(id);
}
