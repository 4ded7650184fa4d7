import type { Observable } from 'rxjs';
import { checkKeys, checkList } from '../errors/index.js';
import { ActivityWaiter } from './activity.waiter.js';
import type { BrokerCore } from './broker.core.js';
import { checkId } from './ids.js';
import type {
  AllSelector,
  BrokerMessage,
  IdBounds,
  ManySelector,
  MessageOrder,
  OneSelector,
  PeekedBrokerMessage,
  QueueStats,
} from './message.js';
import { checkQueueReference } from './queue-name.js';
import { observeQueue, type ObserveOptions } from './queue.observable.js';
import { QueueRows } from './queue.rows.js';
import { QueueWatcher, type WatchOptions } from './queue.watcher.js';
import { boundsOf, checkAll, checkMany, checkOne, switchOf } from './selectors.js';
import {
  checkFind,
  checkKeepNewest,
  type FindOptions,
  type MoveOptions,
  type PeekOptions,
  type WriteOptions,
} from './verb.options.js';

/** How many messages a page of `peek` holds unless its caller says otherwise. */
const PAGE = 1_000;

/**
 * A handle of one queue, named literally or as `@alias`, which is looked up in every step anew.
 *
 * While an at-least-once batch of this handle is open its mutations throw `BatchOpenError`; other
 * handles are free. Whatever is refused is refused before any change: names with `QueueNameError`,
 * bodies with `MessageError`, other arguments with `InvalidOptionError`, unknown aliases with
 * `AliasError`, reserved messages with `ReservedError` (retryable), and what the connection or
 * the server refuses with the `OperationalError`s of the library.
 */
export class BrokerQueue<Body = string> {
  /** As it was named: a queue or `@alias`. */
  readonly name: string;
  private readonly rows: QueueRows<Body>;

  /** Made by `QueueBroker.queue`. @throws QueueNameError */
  constructor(
    name: string,
    private readonly core: BrokerCore,
  ) {
    this.name = checkQueueReference(name);
    this.rows = new QueueRows(this.name, core);
  }

  /** Writes one message; calls of one tick share a round trip and keep their order. Answers its id. */
  async write(body: Body, options: WriteOptions = {}): Promise<bigint> {
    const keep = checkKeepNewest(options);
    const row = { queue: this.name, body: this.core.encode(body) };
    this.rows.assertFree();
    const { backend, recovery } = this.core;
    if (keep !== null) await recovery.runSeldom();
    const id = await (keep === null ? backend.write(row) : backend.writeNewest(row, keep));
    this.core.mutated();
    this.core.sawId(id);
    return id;
  }

  /** Writes many messages in order; all are checked before the first is sent. Answers their ids. */
  async writeMany(bodies: readonly Body[]): Promise<bigint[]> {
    for (const body of checkList('bodies', bodies)) this.core.encode(body);
    return Promise.all(bodies.map((body) => this.write(body)));
  }

  /** Takes one message for good; `null` when there is none. It stays claimed until a vacuum. */
  async read(options: OneSelector = {}): Promise<BrokerMessage<Body> | null> {
    const [message] = await this.rows.read(checkOne(options));
    return message ?? null;
  }

  /** Takes up to `limit` messages for good, in one step. */
  async readMany(options: ManySelector): Promise<BrokerMessage<Body>[]> {
    return this.rows.read(checkMany(options));
  }

  /** Takes messages until there are none, one by one or in at-least-once batches. */
  async *readAll(options: AllSelector = {}): AsyncGenerator<BrokerMessage<Body>, void> {
    yield* this.rows.each(checkAll(options, this.core.settings.batchSize), null);
  }

  /** Shows one message, reserved ones too, and changes nothing; `null` when there is none. */
  async peek(options: OneSelector & PeekOptions = {}): Promise<PeekedBrokerMessage<Body> | null> {
    const selection = checkOne(options, ['includeClaimed']);
    const [message] = await this.rows.peek(selection, scopeOf(options));
    return message ?? null;
  }

  /** Shows up to `limit` messages, 1,000 unless said otherwise. */
  async peekMany(
    options: IdBounds &
      PeekOptions & { readonly limit?: number; readonly order?: MessageOrder } = {},
  ): Promise<PeekedBrokerMessage<Body>[]> {
    const selection = checkMany({ limit: PAGE, ...options }, ['includeClaimed']);
    return this.rows.peek(selection, scopeOf(options));
  }

  /** Shows all messages, oldest first, a page at a time. */
  async *peekAll(
    options: IdBounds & PeekOptions = {},
  ): AsyncGenerator<PeekedBrokerMessage<Body>, void> {
    checkKeys('options', options, ['after', 'before', 'includeClaimed']);
    const scope = scopeOf(options);
    let selection = checkMany({ limit: PAGE, ...options }, ['includeClaimed']);
    for (;;) {
      const page = await this.rows.peek(selection, scope);
      if (page.length === 0) return;
      yield* page;
      selection = { ...selection, after: page[page.length - 1].id };
    }
  }

  /** Moves one message, which keeps id and state; `null` when there is none. */
  async move(
    target: string,
    options: OneSelector & MoveOptions = {},
  ): Promise<BrokerMessage<Body> | null> {
    const selection = checkOne(options, ['requireUnclaimed']);
    const withClaimed = !switchOf(options, 'requireUnclaimed', true);
    const [message] = await this.rows.move(selection, this.rows.checkTarget(target), withClaimed);
    return message ?? null;
  }

  /** Moves up to `limit` messages in one step. */
  async moveMany(
    target: string,
    options: ManySelector & MoveOptions,
  ): Promise<BrokerMessage<Body>[]> {
    const selection = checkMany(options, ['requireUnclaimed']);
    const withClaimed = !switchOf(options, 'requireUnclaimed', true);
    return this.rows.move(selection, this.rows.checkTarget(target), withClaimed);
  }

  /** Moves messages until there are none, one by one or in at-least-once batches. */
  async *moveAll(
    target: string,
    options: AllSelector = {},
  ): AsyncGenerator<BrokerMessage<Body>, void> {
    const terms = checkAll(options, this.core.settings.batchSize);
    yield* this.rows.each(terms, this.rows.checkTarget(target));
  }

  /** Deletes one message, claimed or not; `false` when the queue has none of that id. */
  async delete(id: bigint | string): Promise<boolean> {
    return (await this.deleteMany([id])) === 1;
  }

  /** Deletes messages by id; answers how many there were. With a reserved one among them, none. */
  async deleteMany(ids: readonly (bigint | string)[]): Promise<number> {
    const unique = [...new Set(checkList('ids', ids).map((id) => checkId('ids', id)))];
    this.rows.assertFree();
    if (unique.length === 0) return 0;
    await this.core.recovery.run();
    const count = await this.core.backend.deleteRows(this.name, unique);
    this.core.mutated();
    return count;
  }

  /** Deletes all messages of the queue, dead letters too; `false` when there was no such queue. */
  async deleteAll(): Promise<boolean> {
    this.rows.assertFree();
    await this.core.recovery.run();
    const existed = await this.exists();
    await this.core.backend.deleteQueues([this.name], null);
    this.core.mutated();
    return existed;
  }

  /** Whether the namespace lists the queue, be it for claimed messages only. */
  async exists(): Promise<boolean> {
    return (await this.stats()).exists;
  }

  /** How many messages are pending, reserved, claimed and dead. */
  async stats(): Promise<QueueStats> {
    this.core.assertOpen();
    return this.core.backend.stats(this.name);
  }

  /** Ids, ascending, of messages whose stored body holds a text; reserved ones are skipped. */
  async find(text: string, options: FindOptions = {}): Promise<bigint[]> {
    const request = { ...checkFind(text, options), queue: this.name };
    this.core.assertOpen();
    await this.core.recovery.run();
    return [...(await this.core.backend.find(request))];
  }

  /** Whether a message waits that is not reserved, after the given id if one is named. */
  async hasPending(options: { readonly after?: bigint | string } = {}): Promise<boolean> {
    const { after } = boundsOf(checkKeys('options', options, ['after']));
    const rows = await this.rows.peek({ ...checkOne({}), after }, 'waiting');
    return rows.length > 0;
  }

  /** The id of the newest message that waits and is not reserved; `null` without any. */
  async latestId(): Promise<bigint | null> {
    const [newest] = await this.rows.peek(checkOne({ order: 'newest' }), 'waiting');
    return newest?.id ?? null;
  }

  /** Waits for writes to this queue; an alias is looked up now. Close it at the end. */
  async waiter(): Promise<ActivityWaiter> {
    return ActivityWaiter.open(this.core, [this.name]);
  }

  /** Consumes, peeks or moves message by message until it is stopped; starts at once. */
  watch(options: WatchOptions<Body>): QueueWatcher<Body> {
    this.core.assertOpen();
    const { watchers } = this.core;
    const watcher = new QueueWatcher<Body>(this, options);
    watchers.add(watcher.start());
    void watcher.done.finally(() => watchers.delete(watcher)).catch(() => undefined);
    return watcher;
  }

  /** The same as an Observable: subscribing starts a watcher, unsubscribing stops it. */
  observe(options: ObserveOptions = {}): Observable<BrokerMessage<Body>> {
    return observeQueue<Body>((watch) => this.watch(watch), options);
  }
}

function scopeOf(options: PeekOptions): 'all' | 'pending' {
  return switchOf(options, 'includeClaimed', false) ? 'all' : 'pending';
}
