import { MAX_TIMER_MS } from '../errors/index.js';
import type { RedisClient } from './client.js';
import { nodeOf } from './cluster-node.js';
import type { ScriptArgument } from './codecs.js';
import { settled, type Link } from './link.js';
import { asInteger } from './replies.js';
import { pause } from './retry-budget.js';

/** How much longer than its own time a read may take before its socket counts as dead. */
const WATCHDOG_MARGIN_MS = 1_000;
const LONGEST_UNBLOCK_PAUSE_MS = 100;
const CLOSE_GRACE_MS = 500;

/** What a connection lends to its blocking reads. */
export interface BlockingHost {
  readonly connectTimeoutMs: number;
  createLink(): Link;
  /** Ends the blocking command of a client on the node of `key`; the reply is 0 when it has none. */
  unblock(key: string, clientId: number): Promise<unknown>;
}

/** One blocking command. */
export interface BlockingCommand {
  readonly name: string;
  readonly args: readonly ScriptArgument[];
  /** One of its keys, which tells the node of a cluster. */
  readonly key: string;
  /** After which the server ends it, in milliseconds; the time that stands in `args`. */
  readonly ms: number;
}

/** A blocking command under way. */
export interface BlockedRead {
  readonly client: RedisClient;
  /** The answer; rejects with `UnansweredError` for a dead socket, else as the client does. */
  readonly reply: Promise<unknown>;
  /** Has the server end it; whatever it has just taken out still comes as the answer. */
  readonly end: () => void;
}

/** A blocking read outlived its time: nobody is at the other end, and the socket was given up. */
export class UnansweredError extends Error {}

/**
 * A connection of its own for blocking reads, one at a time.
 *
 * A read is ended by CLIENT UNBLOCK from the command connection: cutting the socket could lose an
 * element that the server has just taken out for us. A watchdog replaces a socket that is dead.
 */
export class BlockingLink {
  readonly #link: Link;
  readonly #clientIds = new WeakMap<RedisClient, Promise<number>>();

  constructor(private readonly host: BlockingHost) {
    this.#link = host.createLink();
  }

  /** The client when a read can be sent in this tick, else `undefined`. */
  get client(): RedisClient | undefined {
    return this.#link.client;
  }

  /** The client once it is ready; rejects as `Link.ready` does. */
  ready(signal?: AbortSignal): Promise<RedisClient> {
    return this.#link.ready(this.host.connectTimeoutMs, signal);
  }

  /** Sends a blocking command. */
  start(client: RedisClient, command: BlockingCommand): BlockedRead {
    const { name, args, key, ms } = command;
    void this.#clientId(client, key);
    let isOver = false;
    let isEnding = false;
    const reply = this.#guarded(client, client.callBuffer(name, args), ms).finally(() => {
      isOver = true;
    });
    const end = (): void => {
      if (!isEnding) void this.#unblock(client, key, () => isOver);
      isEnding = true;
    };
    return { client, reply, end };
  }

  /** Closes the connection; what still blocks on it is waited for a little while. */
  async close(read?: BlockedRead): Promise<void> {
    if (read !== undefined) {
      read.end();
      await settled(read.reply, CLOSE_GRACE_MS);
    }
    await this.#link.close(CLOSE_GRACE_MS);
  }

  #guarded(client: RedisClient, reply: Promise<unknown>, ms: number): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const watchdog = setTimeout(
        () => {
          const error = new UnansweredError('a blocking read was not answered in time');
          this.#link.replace(client, error);
          reject(error);
        },
        Math.min(ms + WATCHDOG_MARGIN_MS, MAX_TIMER_MS),
      );
      reply.then(resolve, reject).finally(() => clearTimeout(watchdog));
    });
  }

  /** Again until it has effect: the UNBLOCK may overtake the read that it is for. */
  async #unblock(client: RedisClient, key: string, isOver: () => boolean): Promise<void> {
    for (let ms = 1; !isOver(); ms = Math.min(ms * 2, LONGEST_UNBLOCK_PAUSE_MS)) {
      try {
        const id = await this.#clientId(client, key);
        if (!isOver()) await this.host.unblock(key, id);
      } catch {
        // not allowed, or no connection: the read ends by its own time
      }
      await pause(ms);
    }
  }

  /** Asked once for each connection, ahead of its first read and without waiting for the answer. */
  #clientId(client: RedisClient, key: string): Promise<number> {
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
