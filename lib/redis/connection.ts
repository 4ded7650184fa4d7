import { ClosedError } from '../errors/index.js';
import type { BlockingHost } from './blocking-link.js';
import { BlockingReader } from './blocking-reader.js';
import { Caller } from './caller.js';
import {
  CommandCall,
  ScriptCall,
  UnblockCall,
  type CallOptions,
  type EmbeddedScript,
} from './calls.js';
import {
  createClient,
  databaseOf,
  describeTarget,
  leadsToCluster,
  type ConnectionRole,
} from './client-factory.js';
import type { RedisClient } from './client.js';
import type { ScriptArgument } from './codecs.js';
import {
  checkConnectionSettings,
  type CheckedSettings,
  type ConnectionSettings,
} from './connection.options.js';
import { Doorbell } from './doorbell.js';
import { Link, quitClient } from './link.js';
import { Subscriber } from './subscriber.js';

/** How long `close` lets commands in flight end, in milliseconds. */
const CLOSE_GRACE_MS = 1_000;

const NO_OPTIONS: CallOptions = Object.freeze({});

/**
 * The connections to one Redis: one for commands, one for blocking reads (on a cluster one a
 * queue), opened at the first use. The only way in which the library talks to a server.
 *
 * A call rejects with a typed error: `NotConnectedError` (nothing was sent), `ReplyLostError` and
 * `CommandTimeoutError` (it may have happened), `OperationalError` (the server's refusal), the
 * error of a script's own word, `UnsupportedServerError`, `ClosedError`.
 */
export class RedisConnection {
  readonly isCluster: boolean;
  /** The longest single blocking read, in milliseconds. */
  readonly blockMs: number;
  /** Waits for lists to ring, see `Doorbell`. */
  readonly doorbell: Doorbell;
  readonly #given: ConnectionSettings;
  readonly #settings: CheckedSettings;
  readonly #target: string;
  readonly #link: Link;
  readonly #caller: Caller;
  /** What closes together with this connection. */
  readonly #dependents = new Set<{ close(): Promise<unknown> }>();
  #subscriber: Subscriber | undefined;
  #closing: Promise<void> | undefined;

  /** Checks the settings (`InvalidOptionError`) and opens nothing. */
  constructor(given: ConnectionSettings) {
    this.#given = given;
    this.#settings = checkConnectionSettings(given);
    this.isCluster = leadsToCluster(this.#settings.connection);
    this.blockMs = this.#settings.blockMs;
    this.#target = describeTarget(this.#settings.connection);
    this.#link = this.#createLink('commands');
    this.#caller = new Caller(this.#link, this.#target, this.#settings);
    this.doorbell = new Doorbell({
      ...this.#blockingHost('doorbell'),
      isCluster: this.isCluster,
      blockMs: this.blockMs,
      command: (name, args) => this.#caller.perform(new CommandCall(name, args), NO_OPTIONS),
    });
  }

  /** The number of the database, 0 on a cluster. */
  get database(): number {
    return databaseOf(this.#settings.connection);
  }

  /** The subscribed connection of this process, opened at its first subscription. */
  get subscriber(): Subscriber {
    return (this.#subscriber ??= this.#adopt(new Subscriber(this.#blockingHost('subscriber'))));
  }

  /** Whether `close` was called: no command is sent any more. */
  get isClosed(): boolean {
    return this.#closing !== undefined;
  }

  /** Whether the link is ready and its last command was answered. */
  get connected(): boolean {
    return this.#caller.connected;
  }

  /** Runs a script, by its hash where the server knows it; texts in replies are Buffers. */
  async evaluate(
    script: EmbeddedScript,
    keys: readonly string[],
    args: readonly ScriptArgument[],
    options: CallOptions = NO_OPTIONS,
  ): Promise<unknown> {
    this.#assertOpen();
    return this.#caller.perform(new ScriptCall(script, keys, args), options);
  }

  /** Sends any single command by the same rules; texts in replies are Buffers. */
  async command(
    name: string,
    args: readonly ScriptArgument[],
    options: CallOptions = NO_OPTIONS,
  ): Promise<unknown> {
    this.#assertOpen();
    return this.#caller.perform(new CommandCall(name, args), options);
  }

  /**
   * A connection of its own for blocking reads that bring work themselves. Whoever asked for it
   * closes it; this connection's `close` does so too.
   */
  openReader(): BlockingReader {
    const forget = () => this.#dependents.delete(reader);
    const reader = this.#adopt(new BlockingReader(this.#blockingHost('reads'), forget));
    return reader;
  }

  /** One more connection of the same settings, without a log of its own; closes with this one. */
  fork(): RedisConnection {
    return this.#adopt(new RedisConnection({ ...this.#given, logger: undefined }));
  }

  /**
   * Ends the waits, lets commands in flight end for up to a second, and closes; never hangs, also
   * when Redis is gone. A client that was handed over is left alone unless `quitBorrowed`.
   */
  close(options: { readonly quitBorrowed?: boolean } = {}): Promise<void> {
    return (this.#closing ??= this.#close(options.quitBorrowed ?? false));
  }

  async #close(quitBorrowed: boolean): Promise<void> {
    await Promise.all([this.doorbell, ...this.#dependents].map((one) => one.close()));
    await this.#link.close(CLOSE_GRACE_MS);
    const { connection } = this.#settings;
    if (!quitBorrowed || connection.kind !== 'client') return;
    await quitClient(connection.client as unknown as RedisClient, CLOSE_GRACE_MS);
  }

  #adopt<Dependent extends { close(): Promise<unknown> }>(dependent: Dependent): Dependent {
    this.#assertOpen();
    this.#dependents.add(dependent);
    return dependent;
  }

  #assertOpen(): void {
    if (this.isClosed) throw new ClosedError('the Redis connection');
  }

  #blockingHost(role: ConnectionRole): BlockingHost {
    return {
      connectTimeoutMs: this.#settings.connectTimeoutMs,
      createLink: () => this.#createLink(role),
      unblock: (key, id) => this.#caller.perform(new UnblockCall(key, id), { timeoutMs: 1_000 }),
    };
  }

  #createLink(role: ConnectionRole): Link {
    const settings = this.#settings;
    return new Link({
      create: () => createClient(settings, role),
      target: this.#target,
      label: `Redis ${settings.name} ${role}`,
      connectTimeoutMs: settings.connectTimeoutMs,
      logger: settings.logger,
    });
  }
}
