import { checkDuration, checkKeys, checkList, InvalidOptionError } from '../errors/index.js';
import { ActivityWaiter } from './activity.waiter.js';
import { vacuumAll } from './auto-vacuum.js';
import type { BackendMeta } from './broker.backend.js';
import { openCore, type BrokerCore } from './broker.core.js';
import type { QueueBrokerOptions } from './broker.options.js';
import { BrokerQueue } from './broker.queue.js';
import { dumpLines, type DumpOptions } from './dump.js';
import { loadLines, type LoadOptions, type LoadResult } from './load.js';
import { checkInserted, type InsertedMessage } from './inserted.message.js';
import { checkItems } from './lists.js';
import { MessageIds } from './message-ids.js';
import { QueueAliases } from './queue-aliases.js';
import { listQueues, matchingQueues } from './queue-list.js';
import type { NamespaceStats, QueueStats } from './message.js';
import { checkQueueName, checkQueueNames, checkQueueReference } from './queue-name.js';
import { boundsOf, switchOf } from './selectors.js';
import {
  checkBroadcast,
  type BroadcastOptions,
  type ListQueuesOptions,
  type WriteOptions,
} from './verb.options.js';

/** How long a close waits for handlers of watchers; what `shutdownGraceMs` is in an application. */
const HANDLER_GRACE_MS = 10_000;

/**
 * A namespace of named queues with exact 63-bit message ids, which rise whatever any clock does.
 *
 * Injectable in a Nest application, and usable without Nest. Nothing is opened before the first
 * call. Errors are those that `BrokerQueue` names; a foreign or incomplete namespace is refused
 * with `NamespaceError`. A lost reply of a write is not sent again: its error says
 * `outcomeAmbiguous`.
 */
export class QueueBroker<Body = string> {
  /** Other names of queues: add, remove, list, resolve. */
  readonly aliases: QueueAliases;
  /** The high-water mark of ids: last, refresh, advance; and ids without a message. */
  readonly ids: MessageIds;
  private readonly core: BrokerCore;
  private readonly ownsCore: boolean;

  /**
   * @param core given by the module; left out by applications.
   * @throws InvalidOptionError naming the option; ApiVersionError for a backend of another version
   */
  constructor(options: QueueBrokerOptions, core?: BrokerCore) {
    this.ownsCore = core === undefined;
    this.core = core ?? openCore(options);
    this.aliases = new QueueAliases(this.core);
    this.ids = new MessageIds(this.core);
  }

  /** The namespace's name. */
  get namespace(): string {
    return this.core.settings.namespace;
  }

  /** A new handle of a queue, named literally or as `@alias`. @throws QueueNameError */
  queue<T = Body>(name: string): BrokerQueue<T> {
    return new BrokerQueue<T>(name, this.core);
  }

  /** Writes one message, as a handle of its own does; see `BrokerQueue.write`. */
  write(queue: string, body: Body, options: WriteOptions = {}): Promise<bigint> {
    return new BrokerQueue<Body>(queue, this.core).write(body, options);
  }

  /**
   * Inserts messages with exact ids in one step, all or none: at most 100,000, and 64 MiB of bodies.
   *
   * @throws IntegrityError when an id is taken or comes twice
   */
  async insert(messages: readonly InsertedMessage<Body>[]): Promise<void> {
    const rows = checkInserted(messages, (body) => this.core.encode(body));
    this.core.assertOpen();
    if (rows.length === 0) return;
    this.core.sawId(await this.core.backend.insert(rows));
    this.core.mutated(rows.length);
  }

  /**
   * Writes one copy to every queue, to those of a list or to those of a pattern; answers how many.
   *
   * All queues and lists are taken in one step, in which no queue is missed or revived. A pattern
   * is matched here, on a snapshot: a queue made after it may be missed, a deleted one revived.
   */
  async broadcast(body: Body, options: BroadcastOptions = {}): Promise<number> {
    const { pattern, ...targets } = checkBroadcast(options);
    const encoded = this.core.encode(body);
    this.core.assertOpen();
    const request =
      pattern === null
        ? targets
        : { mode: 'create' as const, queues: await matchingQueues(this.core, pattern) };
    if (pattern !== null) checkItems('pattern', request.queues);
    if (request.mode !== 'all' && request.queues.length === 0) return 0;
    const { count, lastId } = await this.core.backend.broadcast({ ...request, body: encoded });
    this.core.mutated(count);
    this.core.sawId(lastId);
    return count;
  }

  /**
   * Deletes the messages of several queues, or those below the bound, all or nothing; answers how
   * many. Names are literal, at most 100,000; a list without any deletes nothing.
   */
  async deleteQueues(
    names: readonly string[],
    options: { readonly before?: bigint | string } = {},
  ): Promise<number> {
    const queues = checkQueueNames('names', names);
    const { before } = boundsOf(checkKeys('options', options, ['before']));
    this.core.assertOpen();
    if (queues.length === 0) return 0;
    await this.core.recovery.run();
    const count = await this.core.backend.deleteQueues(queues, before);
    this.core.mutated(count);
    return count;
  }

  /**
   * Deletes the messages of all queues that there are now, queue by queue; answers how many. A
   * reserved message stops it with `ReservedError`: queues before it stay deleted.
   */
  async deleteAllQueues(): Promise<number> {
    this.core.assertOpen();
    await this.core.recovery.run();
    let count = 0;
    for (const { queue } of await listQueues(this.core, {})) {
      count += await this.core.backend.deleteQueues([queue], null);
    }
    this.core.mutated(count);
    return count;
  }

  /**
   * Renames a queue, in one step; its aliases lead to the new name unless told otherwise. Without
   * such a queue nothing is changed, and none of both is counted.
   *
   * @throws QueueExistsError when the new name has messages; ReservedError
   */
  async rename(
    from: string,
    to: string,
    options: { readonly retargetAliases?: boolean } = {},
  ): Promise<{ readonly messages: number; readonly aliases: number }> {
    checkKeys('options', options, ['retargetAliases']);
    const retarget = switchOf(options, 'retargetAliases', true);
    if (checkQueueName(from) === checkQueueName(to)) {
      throw new InvalidOptionError('to', 'is the queue itself');
    }
    this.core.assertOpen();
    await this.core.recovery.run();
    const renamed = await this.core.backend.rename(from, to, retarget);
    this.core.mutated(renamed.messages);
    return renamed;
  }

  /** The queues with their counts, by name. */
  async listQueues(options: ListQueuesOptions = {}): Promise<QueueStats[]> {
    return listQueues(this.core, options);
  }

  /** How many queues and messages there are in all. */
  async stats(): Promise<NamespaceStats> {
    const all = await listQueues(this.core, {});
    const sum = (of: (stats: QueueStats) => number) => all.reduce((n, one) => n + of(one), 0);
    return {
      queues: all.length,
      pending: sum(({ pending }) => pending),
      claimed: sum(({ claimed }) => claimed),
      dead: sum(({ dead }) => dead),
      total: sum(({ total }) => total),
    };
  }

  /** Deletes the claimed messages of all queues; answers how many. */
  async vacuum(): Promise<number> {
    this.core.assertOpen();
    return vacuumAll(this.core.backend);
  }

  /**
   * Gives back the messages of batches that began at least `olderThanMs` ago, then those of silent
   * handlers whose leases are over; answers how many. Without `olderThanMs` `staleBatchMs` counts,
   * and where that switches recovery off no batch is given back.
   */
  async recoverStale(options: { readonly olderThanMs?: number } = {}): Promise<number> {
    checkKeys('options', options, ['olderThanMs']);
    const { olderThanMs } = options;
    if (olderThanMs !== undefined) checkDuration('olderThanMs', olderThanMs, { min: 0 });
    this.core.assertOpen();
    const ageMs = olderThanMs ?? this.core.settings.staleBatchMs;
    const ofBatches = ageMs < 0 ? 0 : await this.core.recovery.olderThan(ageMs);
    return ofBatches + (await this.core.backend.holds.recover());
  }

  /** Waits for writes to any of these queues; aliases are looked up now. Close it at the end. */
  async waiter(queues: readonly string[]): Promise<ActivityWaiter> {
    checkList('queues', queues).forEach(checkQueueReference);
    return ActivityWaiter.open(this.core, queues);
  }

  /** The pending messages and the aliases as JSON lines, a page at a time. */
  dump(options: DumpOptions = {}): AsyncGenerator<string, void> {
    return dumpLines(this.core, options);
  }

  /**
   * Loads the lines of a dump with exact ids and raises the high-water mark to the dump's. What was
   * loaded before a failure stays: `cleanUp` before it is tried again.
   *
   * @throws InvalidOptionError naming the line; IntegrityError for a namespace that has messages
   * (unless `merge`), a taken id, or a dump that is not complete
   */
  load(
    lines: Iterable<string> | AsyncIterable<string>,
    options: LoadOptions = {},
  ): Promise<LoadResult> {
    return loadLines(this.core, lines, options);
  }

  /** What is stored about the namespace; opens it when there is none. */
  async meta(): Promise<BackendMeta> {
    this.core.assertOpen();
    return this.core.backend.meta();
  }

  /**
   * Deletes the namespace, and only keys that are its own; `false` when there is none.
   *
   * @throws NamespaceError for one that is not ours; ReservedError while something is reserved
   */
  async cleanUp(): Promise<boolean> {
    this.core.assertOpen();
    return this.core.cleanUp();
  }

  /**
   * Stops its watchers and lets their handlers end, for at most 10 s in which every verb still works;
   * then ends waits (`false`), gives back the messages of open batches, and closes what it opened
   * itself. A connection or client that was handed over stays open. A handler that closes its own
   * broker does not await it.
   *
   * One that Nest injected opened nothing: it stops its watchers, without waiting for their handlers,
   * and goes on; `app.close()` does the rest.
   */
  async close(): Promise<void> {
    if (this.ownsCore) await this.core.close(HANDLER_GRACE_MS);
    else void this.core.stop();
  }
}
