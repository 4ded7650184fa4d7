import type { Observable } from 'rxjs';
import { checkKeys, checkList, checkRecord } from '../errors/index.js';
import { allOrPartial } from '../delivery/index.js';
import { ActivityWaiter } from './activity.waiter.js';
import type { BrokerCore } from './broker.core.js';
import { BrokerDeadLetters } from './broker.dead-letters.js';
import type { HeldMessage } from './broker.delivery.js';
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
import { checkItems } from './lists.js';
import { checkQueueReference } from './queue-name.js';
import { observeQueue } from './queue.observable.js';
import { QueueRows } from './queue.rows.js';
import { QueueWatcher } from './queue.watcher.js';
import { boundsOf, checkAll, checkMany, checkOne, checkTarget, switchOf } from './selectors.js';
import {
  checkFind,
  checkKeepNewest,
  scopeOf,
  type FindOptions,
  type MoveOptions,
  type PeekOptions,
  type WriteOptions,
} from './verb.options.js';
import { checkObserve, type ObserveOptions, type WatchOptions } from './watch.options.js';

/**
 * What a queue definition of the broker engine is typed by: the body of its messages. Another than a
 * text needs the option `broker.codec`; without it each write throws `MessageError`.
 */
export interface BrokerTyping<Body> {
  /** What handlers receive; messages have no types, so there is no name to give to `@Process`. */
  readonly messages: { readonly [anyMessage]: HeldMessage<Body> };
  /** What `@InjectQueue` injects: one handle for all who inject it, see `BrokerQueue`. */
  readonly handle: BrokerQueue<Body>;
}

declare const anyMessage: unique symbol;

/** How many messages a page of `peek` holds unless its caller says otherwise. */
const PAGE = 1_000;

/**
 * A handle of one queue, named literally or as `@alias`, which is looked up in every step anew.
 *
 * While an at-least-once batch of this handle is open its mutations throw `BatchOpenError`; other
 * handles are free. A batch that was ended and could not be given back stays open: the next mutation,
 * another `return()` and the broker's close try again. The handle that `@InjectQueue` injects is one for all classes of a module:
 * whoever iterates batches takes one of their own, by `QueueBroker.queue` or `QueueService.queue`,
 * and ends the generator (`break`, or `return()`) where it is given up half-way.
 *
 * A message that lost its body in Redis is never handed out: reads take it out, looks pass over it.
 *
 * Whatever is refused is refused before any change: names with `QueueNameError`, bodies with
 * `MessageError`, other arguments with `InvalidOptionError`, unknown aliases with `AliasError`,
 * reserved messages with `ReservedError` (retryable), and what the connection or the server
 * refuses with the `OperationalError`s of the library.
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

  /**
   * Writes one message; answers its id. Calls of one tick share a round trip and keep their order;
   * those with `keepNewest` go one by one, in an order of their own.
   */
  async write(body: Body, options: WriteOptions = {}): Promise<bigint> {
    const keep = checkKeepNewest(options);
    const encoded = this.core.encode(body);
    await this.rows.free();
    return keep === null ? this.rows.write(encoded) : this.rows.writeNewest(encoded, keep);
  }

  /**
   * Writes many messages in order, 500 a call; all are checked before the first is sent. Answers
   * their ids.
   *
   * @throws PartialFailureError, with the ids of those that were written, where some were not
   */
  async writeMany(bodies: readonly Body[]): Promise<bigint[]> {
    const encoded = checkList('bodies', bodies).map((body) => this.core.encode(body));
    await this.rows.free();
    return allOrPartial(await Promise.allSettled(encoded.map((body) => this.rows.write(body))));
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
  readAll(options: AllSelector = {}): AsyncGenerator<BrokerMessage<Body>, void> {
    const { batchSize } = this.core.settings;
    return this.rows.each(() => ({ ...checkAll(options, batchSize), target: null }));
  }

  /** Shows one message, reserved and postponed ones too, and changes nothing; `null` when there is none. */
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
    const given = { limit: PAGE, ...checkRecord('options', options) };
    return this.rows.peek(checkMany(given, ['includeClaimed']), scopeOf(options));
  }

  /** Shows all messages, oldest first, a page at a time. */
  async *peekAll(
    options: IdBounds & PeekOptions = {},
  ): AsyncGenerator<PeekedBrokerMessage<Body>, void> {
    checkKeys('options', options, ['after', 'before', 'includeClaimed']);
    const selection = checkMany({ limit: PAGE, ...options }, ['includeClaimed']);
    yield* this.rows.peekEach(selection, scopeOf(options));
  }

  /** Moves one message, which keeps id and state; `null` when there is none. */
  async move(
    target: string,
    options: OneSelector & MoveOptions = {},
  ): Promise<BrokerMessage<Body> | null> {
    const selection = checkOne(options, ['requireUnclaimed']);
    const withClaimed = !switchOf(options, 'requireUnclaimed', true);
    const [message] = await this.rows.move(selection, checkTarget(target, this.name), withClaimed);
    return message ?? null;
  }

  /** Moves up to `limit` messages in one step. */
  async moveMany(
    target: string,
    options: ManySelector & MoveOptions,
  ): Promise<BrokerMessage<Body>[]> {
    const selection = checkMany(options, ['requireUnclaimed']);
    const withClaimed = !switchOf(options, 'requireUnclaimed', true);
    return this.rows.move(selection, checkTarget(target, this.name), withClaimed);
  }

  /** Moves messages until there are none, one by one or in at-least-once batches. */
  moveAll(target: string, options: AllSelector = {}): AsyncGenerator<BrokerMessage<Body>, void> {
    const { batchSize } = this.core.settings;
    const targetOf = () => checkTarget(target, this.name);
    return this.rows.each(() => ({ ...checkAll(options, batchSize), target: targetOf() }));
  }

  /** Deletes one message, claimed or not; `false` when the queue has none of that id. */
  async delete(id: bigint | string): Promise<boolean> {
    return (await this.rows.delete([checkId('id', id)])) === 1;
  }

  /**
   * Deletes up to 100,000 messages by id in one step; answers how many there were. With a reserved
   * one among them, none.
   */
  async deleteMany(ids: readonly (bigint | string)[]): Promise<number> {
    const unique = [...new Set(checkItems('ids', ids).map((id) => checkId('ids', id)))];
    return this.rows.delete(unique);
  }

  /** Deletes all messages of the queue, dead letters too; `false` when there was no such queue. */
  async deleteAll(): Promise<boolean> {
    await this.rows.free();
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

  /** How many messages are pending, postponed, reserved, claimed and dead. */
  async stats(): Promise<QueueStats> {
    this.core.assertOpen();
    return this.core.backend.stats(this.name);
  }

  /**
   * Ids, ascending, of unread messages whose stored body holds a text, of 3 characters that are not
   * blank to 1,024 in all; reserved ones are skipped.
   */
  async find(text: string, options: FindOptions = {}): Promise<bigint[]> {
    const request = { ...checkFind(text, options), queue: this.name };
    this.core.assertOpen();
    await this.core.recovery.run();
    return [...(await this.core.backend.find(request))];
  }

  /** Whether a message waits to be read now, after the given id if one is named. */
  async hasPending(options: { readonly after?: bigint | string } = {}): Promise<boolean> {
    const { after } = boundsOf(checkKeys('options', options, ['after']));
    return (await this.rows.firstWaiting(after, 'oldest')) !== null;
  }

  /** The id of the newest message that waits to be read now; `null` without any. */
  async latestId(): Promise<bigint | null> {
    return this.rows.firstWaiting(null, 'newest');
  }

  /** Messages that processors gave up: list, count, redrive, drop. */
  get deadLetters(): BrokerDeadLetters {
    return new BrokerDeadLetters(this.core, this.name, () => this.rows.free());
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

  /**
   * The same as an Observable: subscribing starts a watcher, unsubscribing stops it.
   *
   * @throws InvalidOptionError naming the option, at once
   */
  observe(options: ObserveOptions = {}): Observable<BrokerMessage<Body>> {
    return observeQueue<Body>((watch) => this.watch(watch), checkObserve(options, this.name));
  }
}
