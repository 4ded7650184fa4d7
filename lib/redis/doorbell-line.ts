import type { RedisClient } from './client.js';
import { nodeOf } from './cluster-node.js';
import type { ScriptArgument } from './codecs.js';
import type { Wait } from './doorbell-wait.js';
import { settled, type Link } from './link.js';
import { asInteger, asList, asText } from './replies.js';
import { pause } from './retry-budget.js';

/** How much longer than its own time a read may take before its socket counts as dead. */
const WATCHDOG_MARGIN_MS = 1_000;
const FIRST_PAUSE_MS = 25;
const LONGEST_PAUSE_MS = 1_000;
const LONGEST_UNBLOCK_PAUSE_MS = 100;
const CLOSE_GRACE_MS = 500;
/** A read that ends so soon is not worth an UNBLOCK, in milliseconds. */
const NEAR_END_MS = 5;

/** What the connection lends to its doorbell. */
export interface DoorbellHost {
  readonly isCluster: boolean;
  readonly blockMs: number;
  readonly connectTimeoutMs: number;
  createLink(): Link;
  command(name: string, args: readonly ScriptArgument[]): Promise<unknown>;
  /** Ends the blocking command of a client on the node of `key`; the reply is 0 when it has none. */
  unblock(key: string, clientId: number): Promise<unknown>;
}

/** A blocking read that is under way. */
interface Read {
  readonly client: RedisClient;
  readonly keys: ReadonlySet<string>;
  readonly endsAt: number;
  readonly done: Promise<void>;
  isEnding: boolean;
}

/**
 * One blocking connection and the waits that it serves.
 *
 * At any time there is at most one read. When the waits no longer match it (one joined with
 * another key, one was aborted), the read is ended by CLIENT UNBLOCK from the
 * command connection and started anew: cutting the socket could lose an element that the server
 * has just taken out for us.
 */
export class DoorbellLine {
  readonly #waits = new Set<Wait>();
  readonly #link: Link;
  readonly #clientIds = new WeakMap<RedisClient, Promise<number>>();
  #read: Read | undefined;
  /** Connecting, or pausing after a failure. */
  #isBusy = false;
  #isScheduled = false;
  #isClosed = false;
  #failures = 0;

  constructor(private readonly host: DoorbellHost) {
    this.#link = host.createLink();
  }

  /** Serves the wait from the end of this tick on. */
  add(wait: Wait): void {
    this.#waits.add(wait);
    wait.onOver = () => {
      this.#waits.delete(wait);
      this.#schedule();
    };
    this.#schedule();
  }

  /** Ends the waits and the read, and closes the connection. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#endWaits(() => true);
    if (this.#read !== undefined) {
      void this.#end(this.#read);
      await settled(this.#read.done, CLOSE_GRACE_MS);
    }
    await this.#link.close(CLOSE_GRACE_MS);
  }

  /** Still in this tick, but once for all waits that begin or end in it. */
  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    queueMicrotask(() => {
      this.#isScheduled = false;
      this.#serve();
    });
  }

  #serve(): void {
    if (this.#isBusy || this.#isClosed) return;
    const keys = new Set<string>();
    let endsAt = Infinity;
    for (const wait of this.#waits) {
      for (const key of wait.keys) keys.add(key);
      endsAt = Math.min(endsAt, wait.endsAt);
    }
    if (this.#read !== undefined) {
      if (!fits(this.#read, keys)) void this.#end(this.#read);
    } else if (keys.size > 0) {
      const { client } = this.#link;
      if (client === undefined) void this.#connect();
      else this.#start(client, keys, endsAt);
    }
  }

  async #connect(): Promise<void> {
    this.#isBusy = true;
    try {
      await this.#link.ready(this.host.connectTimeoutMs);
      this.#isBusy = false;
      this.#serve();
    } catch {
      await this.#fail();
    }
  }

  #start(client: RedisClient, keys: ReadonlySet<string>, endsAt: number): void {
    const ms = Math.max(1, Math.min(endsAt - performance.now(), this.host.blockMs)); // 0 is for ever
    void this.#clientId(client, keys);
    const reply = client.callBuffer('blpop', [...keys, (ms / 1_000).toFixed(3)]);
    const watchdog = setTimeout(() => this.#onDead(read), ms + WATCHDOG_MARGIN_MS);
    const done = reply.then(
      (answer) => (clearTimeout(watchdog), this.#onAnswer(read, answer)),
      () => (clearTimeout(watchdog), this.#onFailure(read)),
    );
    const read: Read = { client, keys, endsAt: performance.now() + ms, done, isEnding: false };
    this.#read = read;
  }

  #onAnswer(read: Read, answer: unknown): void {
    if (this.#read !== read) return;
    this.#read = undefined;
    this.#failures = 0;
    if (answer !== null) this.#ring(read.client, answer);
    this.#serve();
  }

  #ring(client: RedisClient, answer: unknown): void {
    const [rawKey, element] = asList(answer);
    const key = asText(rawKey).slice(client.options.keyPrefix?.length ?? 0);
    if (this.#endWaits((wait) => wait.keys.includes(key)) > 0) return;
    // nobody here waits for it any more: another process, or our next read, shall have it
    this.host.command('lpush', [key, element as Buffer]).catch(() => undefined);
  }

  #onFailure(read: Read): void {
    if (this.#read !== read) return;
    this.#read = undefined;
    void this.#fail();
  }

  #onDead(read: Read): void {
    if (this.#read !== read) return;
    this.#read = undefined;
    this.#link.replace(read.client, new Error('a blocking read was not answered in time'));
    this.#endWaits(() => true);
  }

  /** Callers look at the queue themselves meanwhile, but not in a hot loop. */
  async #fail(): Promise<void> {
    this.#isBusy = true;
    await pause(Math.min(FIRST_PAUSE_MS * 2 ** this.#failures++, LONGEST_PAUSE_MS));
    this.#isBusy = false;
    this.#endWaits(() => true);
    this.#serve();
  }

  #endWaits(isOver: (wait: Wait) => boolean): number {
    const over = [...this.#waits].filter(isOver);
    for (const wait of over) wait.end();
    return over.length;
  }

  /** Again until it has effect: the UNBLOCK may overtake the read that it is for. */
  async #end(read: Read): Promise<void> {
    if (read.isEnding) return;
    read.isEnding = true;
    const [key] = read.keys;
    for (let ms = 1; this.#read === read; ms = Math.min(ms * 2, LONGEST_UNBLOCK_PAUSE_MS)) {
      try {
        const id = await this.#clientId(read.client, read.keys);
        if (this.#read === read) await this.host.unblock(key, id);
      } catch {
        // not allowed, or no connection: the read ends by its own time
      }
      await pause(ms);
    }
  }

  /** Asked once for each connection, ahead of its first read and without waiting for the answer. */
  #clientId(client: RedisClient, keys: ReadonlySet<string>): Promise<number> {
    const [key] = keys;
    const node = nodeOf(client, key);
    let id = this.#clientIds.get(node);
    if (id === undefined) {
      id = node.callBuffer('client', ['ID']).then(asInteger);
      id.catch(() => undefined);
      this.#clientIds.set(node, id);
    }
    return id;
  }
}

/**
 * Whether the read serves the waits: it has all their keys, and no others unless it ends by itself
 * now. Keys that nobody here waits for any more would take rings from other processes.
 */
function fits(read: Read, keys: ReadonlySet<string>): boolean {
  for (const key of keys) if (!read.keys.has(key)) return false;
  return read.keys.size === keys.size || read.endsAt <= performance.now() + NEAR_END_MS;
}
