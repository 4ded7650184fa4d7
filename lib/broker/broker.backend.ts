import { ApiVersionError, checkFunction, InvalidOptionError } from '../errors/index.js';
import type { Subscription } from '../redis/index.js';
import type { BrokerHolds } from './broker.holds.js';
import type { MessageOrder, MessageState, QueueStats, StoredRow } from './message.js';
import type { Bounds, Selection } from './selectors.js';

/**
 * The version of `BrokerBackend`. An extension has to declare exactly this one; it changes with
 * every change of a primitive. The schema of what is stored has a version of its own.
 */
export const BROKER_API_VERSION = 9;

/** Rows of one queue, the name resolved where it was an alias. */
export interface FoundRows<Row = StoredRow> {
  readonly queue: string;
  readonly rows: readonly Row[];
}

/** A message to write. `queue` may be `@alias`, as in all primitives but those that say so. */
export interface NewRow {
  readonly queue: string;
  readonly body: string | Buffer;
}

/** Which rows of a queue. */
export interface RowRequest extends Selection {
  readonly queue: string;
}

/** Which rows of a queue a look goes through: unread ones, reserved ones among them, or all. */
export type PeekScope = 'unread' | 'all';

/** A row and the queue that it is in. */
export interface NamedRow extends StoredRow {
  readonly queue: string;
}

/** A page of unread rows; `last` is the last id looked at, `null` at the end. */
export interface UnreadPage {
  readonly rows: readonly NamedRow[];
  readonly last: bigint | null;
}

/** The first row wanted that is neither read nor reserved. */
export interface WaitingRequest {
  readonly queue: string;
  readonly after: bigint | null;
  readonly order: MessageOrder;
}

/** A text wanted in bodies, oldest first. */
export interface FindRequest extends Bounds {
  readonly queue: string;
  readonly text: string;
  readonly withClaimed: boolean;
}

/** Copies of one body; names are literal. */
export interface BroadcastRequest {
  readonly body: string | Buffer;
  /** 'all' registered queues, the 'existing' ones of `queues`, or all of `queues`, made if need be. */
  readonly mode: 'all' | 'existing' | 'create';
  readonly queues: readonly string[];
}

/** A batch to begin, of the oldest rows. */
export interface BatchRequest extends Bounds {
  readonly queue: string;
  /** Where a move leads; `null` for a read. */
  readonly target: string | null;
}

/** A batch that is open: token, source and creation time name it exactly. */
export interface OpenBatch extends FoundRows {
  readonly token: string;
  readonly createdAt: bigint;
}

/** What names a batch. */
export type BatchName = Pick<OpenBatch, 'token' | 'queue' | 'createdAt'>;

/** What is known of a namespace. */
export interface BackendMeta {
  readonly magic: string;
  /** The schema of what is stored. */
  readonly schemaVersion: number;
  readonly lastId: bigint;
  readonly aliasVersion: number;
}

/**
 * Where a broker keeps its messages. The core checks arguments, encodes bodies and keeps handles.
 *
 * Each primitive that changes something is one atomic step that refuses before its first change.
 * `find`, `queues` and `staleBatches` may take many: they tell of what stays as it is meanwhile. A signal ends
 * waits for a connection and the pauses between retries, not what is sent already.
 */
export interface BrokerBackend {
  /** Names it in errors. */
  readonly name: string;
  /** The `BROKER_API_VERSION` that it was made for. */
  readonly apiVersion: number;
  /** Whether the last command was answered. */
  readonly connected: boolean;
  readonly holds: BrokerHolds;

  /** What is known of the namespace; refuses one that is foreign, partial or of another schema. */
  meta(): Promise<BackendMeta>;
  /** A new id above all before it. */
  generateId(): Promise<bigint>;
  /** Raises the last id, never lowers it; answers what it is then. */
  advanceLastId(id: bigint): Promise<bigint>;

  /** Writes one message at the end; answers its id. */
  write(row: NewRow): Promise<bigint>;
  /** The same, and whatever unread messages are more than `keepNewest` with it count as read. */
  writeNewest(row: NewRow, keepNewest: number): Promise<bigint>;
  /** All or none; answers the last id after it. */
  insert(rows: readonly (NewRow & { readonly id: bigint })[]): Promise<bigint>;
  /** One message with the same body for each queue; answers how many, and the last id. */
  broadcast(
    request: BroadcastRequest,
  ): Promise<{ readonly count: number; readonly lastId: bigint }>;

  /** Takes rows for good: they are claimed, and stay inspectable until a vacuum. */
  read(request: RowRequest): Promise<FoundRows>;
  /** Shows rows and changes nothing; what is due or lapsed shows as pending. */
  peek(
    request: RowRequest,
    scope: PeekScope,
  ): Promise<FoundRows<StoredRow & { readonly state: MessageState }>>;
  /** The id of the first row that waits, one that is due or lapsed too; `null` without any. */
  firstWaiting(request: WaitingRequest): Promise<bigint | null>;
  /**
   * Unread rows of all queues by id, reserved ones among them. A page is one step: a row that is
   * moved between two pages is in one of them, and not in both.
   */
  unread(bounds: Bounds): Promise<UnreadPage>;
  /** Moves rows to another queue, ids and bodies as they are; claimed ones when asked for. */
  move(request: RowRequest, target: string, withClaimed: boolean): Promise<FoundRows>;
  /** The ids of rows whose bodies hold a text, except held and reserved ones. */
  find(request: FindRequest): Promise<readonly bigint[]>;
  /** Deletes these rows of a queue, none if one of them is reserved; answers how many there were. */
  deleteRows(queue: string, ids: readonly bigint[]): Promise<number>;
  /** All rows of these queues, or those below the bound; all or nothing. */
  deleteQueues(queues: readonly string[], before: bigint | null): Promise<number>;
  /** Deletes the oldest claimed rows, at most `limit`; answers how many. */
  vacuum(queue: string, limit: number, signal?: AbortSignal): Promise<number>;

  /** The counters of one queue; what is due or lapsed counts as neither postponed nor reserved. */
  stats(queue: string): Promise<QueueStats>;
  /** Those that were there all along, and each once. */
  queues(signal?: AbortSignal): AsyncIterable<QueueStats>;
  /** Gives all rows of a queue to a name that has none, and its aliases when asked for. */
  rename(
    from: string,
    to: string,
    retargetAliases: boolean,
  ): Promise<{ readonly messages: number; readonly aliases: number }>;

  /** All aliases and their targets. */
  aliases(): Promise<ReadonlyMap<string, string>>;
  /** Makes or retargets an alias; tells whether a queue has that name too. */
  addAlias(alias: string, target: string): Promise<{ readonly shadowsQueue: boolean }>;
  /** `false` when there is no such alias. */
  removeAlias(alias: string): Promise<boolean>;

  /** Reserves rows under a new token. */
  beginBatch(request: BatchRequest): Promise<OpenBatch>;
  /** Answers how many rows it held; a roll-back of one that is over or another one by now, 0. */
  endBatch(verb: 'commit' | 'rollback', batch: BatchName, signal?: AbortSignal): Promise<number>;
  /** Batches that began at least so long ago. */
  staleBatches(olderThanMs: number, signal?: AbortSignal): Promise<readonly BatchName[]>;

  /** Calls the listener at each write to a queue (no alias), once the promise has resolved. */
  subscribe(queue: string, listener: () => void): Promise<Subscription>;
  /** Deletes the namespace; `false` when there is none. */
  cleanUp(): Promise<boolean>;
  /** Ends what it opened; nothing works afterwards. */
  close(): Promise<void>;
}

/**
 * The handshake with a backend extension, before anything is opened.
 *
 * @throws InvalidOptionError when it is none; ApiVersionError when its version is no whole number
 * or another than the core's
 */
export function checkBackend(option: string, backend: BrokerBackend): BrokerBackend {
  if (typeof backend !== 'object' || backend === null) {
    throw new InvalidOptionError(option, 'expected an object that implements BrokerBackend');
  }
  const { name = 'the extension', apiVersion }: Partial<BrokerBackend> = backend;
  if (typeof apiVersion !== 'number' || !Number.isSafeInteger(apiVersion)) {
    throw new ApiVersionError(`${option}: the apiVersion of ${name} is not an integer`);
  }
  if (apiVersion !== BROKER_API_VERSION) {
    throw new ApiVersionError(
      `${option}: ${name} was made for backend API version ${apiVersion}, this core has version ` +
        `${BROKER_API_VERSION}: upgrade the extension, or pin the core to a version that it fits`,
    );
  }
  checkFunction(`${option}.write`, backend.write?.bind(backend));
  return backend;
}
