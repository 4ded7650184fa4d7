import {
  BlockingLink,
  UnansweredError,
  type BlockedRead,
  type BlockingHost,
} from './blocking-link.js';
import type { RedisClient } from './client.js';
import type { ScriptArgument } from './codecs.js';
import type { Wait } from './doorbell-wait.js';
import { asList, asText } from './replies.js';
import { pause } from './retry-budget.js';

const FIRST_PAUSE_MS = 25;
const LONGEST_PAUSE_MS = 1_000;
/** A read that ends so soon is not worth an UNBLOCK, in milliseconds. */
const NEAR_END_MS = 5;
/** How long a bell stays that nobody waits for, in milliseconds; as in lua/include/bell.lua. */
const BELL_TTL_MS = 60_000;

/** What the connection lends to its doorbell. */
export interface DoorbellHost extends BlockingHost {
  readonly isCluster: boolean;
  readonly blockMs: number;
  command(name: string, args: readonly ScriptArgument[]): Promise<unknown>;
}

/** A blocking read that is under way. */
interface Read {
  readonly blocked: BlockedRead;
  readonly keys: ReadonlySet<string>;
  readonly endsAt: number;
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
  readonly #link: BlockingLink;
  #read: Read | undefined;
  /** Connecting, or pausing after a failure. */
  #isBusy = false;
  #isScheduled = false;
  #isClosed = false;
  #failures = 0;

  constructor(private readonly host: DoorbellHost) {
    this.#link = new BlockingLink(host);
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
    await this.#link.close(this.#read?.blocked);
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
      if (!fits(this.#read, keys)) this.#read.blocked.end();
    } else if (keys.size > 0) {
      const { client } = this.#link;
      if (client === undefined) void this.#connect();
      else this.#start(client, keys, endsAt);
    }
  }

  async #connect(): Promise<void> {
    this.#isBusy = true;
    try {
      await this.#link.ready();
      this.#isBusy = false;
      this.#serve();
    } catch {
      await this.#fail();
    }
  }

  #start(client: RedisClient, keys: ReadonlySet<string>, endsAt: number): void {
    const ms = Math.max(1, Math.min(endsAt - performance.now(), this.host.blockMs)); // 0 is for ever
    const [key] = keys;
    const args = [...keys, (ms / 1_000).toFixed(3)];
    const blocked = this.#link.start(client, { name: 'blpop', args, key, ms });
    const read: Read = { blocked, keys, endsAt: performance.now() + ms };
    this.#read = read;
    blocked.reply.then(
      (answer) => this.#onAnswer(read, answer),
      (error: unknown) => this.#onFailure(read, error),
    );
  }

  #onAnswer(read: Read, answer: unknown): void {
    if (this.#read !== read) return;
    this.#read = undefined;
    this.#failures = 0;
    if (answer !== null) this.#ring(read.blocked.client, answer);
    this.#serve();
  }

  #ring(client: RedisClient, answer: unknown): void {
    const [rawKey, element] = asList(answer);
    const key = asText(rawKey).slice(client.options.keyPrefix?.length ?? 0);
    if (this.#endWaits((wait) => wait.keys.includes(key)) > 0) return;
    // nobody here waits for it any more: another process, or our next read, shall have it
    void this.#handBack(key, element as Buffer).catch(() => undefined);
  }

  /** As the scripts ring: a bell that nobody waits for must not stay. */
  async #handBack(key: string, element: Buffer): Promise<void> {
    await this.host.command('lpush', [key, element]);
    await this.host.command('pexpire', [key, String(BELL_TTL_MS)]);
  }

  #onFailure(read: Read, error: unknown): void {
    if (this.#read !== read) return;
    this.#read = undefined;
    if (error instanceof UnansweredError) this.#endWaits(() => true);
    else void this.#fail();
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
}

/**
 * Whether the read serves the waits: it has all their keys, and no others unless it ends by itself
 * now. Keys that nobody here waits for any more would take rings from other processes.
 */
function fits(read: Read, keys: ReadonlySet<string>): boolean {
  for (const key of keys) if (!read.keys.has(key)) return false;
  return read.keys.size === keys.size || read.endsAt <= performance.now() + NEAR_END_MS;
}
