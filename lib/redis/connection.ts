import {
  ClosedError,
  CommandTimeoutError,
  NotConnectedError,
  ReplyLostError,
} from '../errors/index.js';
import type { BlockingHost } from './blocking-link.js';
import { BlockingReader } from './blocking-reader.js';
import { CommandCall, ScriptCall, UnblockCall } from './calls.js';
import type { Call, CallOptions, EmbeddedScript } from './calls.js';
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
import { RetryBudget } from './retry-budget.js';
import { serverCheckCall } from './server-check.js';
import { failureKind, toCallerError } from './server-errors.js';
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
  /** What closes together with this connection. */
  readonly #dependents = new Set<{ close(): Promise<unknown> }>();
  #subscriber: Subscriber | undefined;
  #serverCheck: Promise<void> | undefined;
  #isChecked = false;
  #lastAnswered = false;
  #closing: Promise<void> | undefined;

  /** Checks the settings (`InvalidOptionError`) and opens nothing. */
  constructor(given: ConnectionSettings) {
    this.#given = given;
    this.#settings = checkConnectionSettings(given);
    this.isCluster = leadsToCluster(this.#settings.connection);
    this.blockMs = this.#settings.blockMs;
    this.#target = describeTarget(this.#settings.connection);
    this.#link = this.#createLink('commands');
    this.doorbell = new Doorbell({
      ...this.#blockingHost('doorbell'),
      isCluster: this.isCluster,
      blockMs: this.blockMs,
      command: (name, args) => this.#perform(new CommandCall(name, args), NO_OPTIONS),
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

  /** Whether the link is ready and its last command was answered. */
  get connected(): boolean {
    return this.#lastAnswered && this.#link.client !== undefined;
  }

  /** Runs a script, by its hash where the server knows it; texts in replies are Buffers. */
  async evaluate(
    script: EmbeddedScript,
    keys: readonly string[],
    args: readonly ScriptArgument[],
    options: CallOptions = NO_OPTIONS,
  ): Promise<unknown> {
    this.#assertOpen();
    return this.#perform(new ScriptCall(script, keys, args), options);
  }

  /** Sends any single command by the same rules; texts in replies are Buffers. */
  async command(
    name: string,
    args: readonly ScriptArgument[],
    options: CallOptions = NO_OPTIONS,
  ): Promise<unknown> {
    this.#assertOpen();
    return this.#perform(new CommandCall(name, args), options);
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
    if (this.#closing !== undefined) throw new ClosedError('the Redis connection');
  }

  #blockingHost(role: ConnectionRole): BlockingHost {
    return {
      connectTimeoutMs: this.#settings.connectTimeoutMs,
      createLink: () => this.#createLink(role),
      unblock: (key, id) => this.#perform(new UnblockCall(key, id), { timeoutMs: 1_000 }),
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

  async #perform(call: Call, options: CallOptions): Promise<unknown> {
    try {
      return await this.#attempt(call, options);
    } catch (error) {
      return this.#performAgain(call, options, error);
    }
  }

  /** The retry rule: only what was not sent, was refused before any change, or is idempotent. */
  async #performAgain(call: Call, options: CallOptions, first: unknown): Promise<unknown> {
    const budget = new RetryBudget(options.timeoutMs, options.signal);
    // what was sent once may have happened, and a refusal says more than the wait that followed
    let lost: Error | undefined;
    let refusal: Error | undefined;
    for (let error = first; ;) {
      const failure = this.#failureOf(error, call);
      if (failure instanceof ReplyLostError) lost = failure;
      if (failureKind(error) === 'refused') refusal = failure;
      if (!(await this.#mayRepeat(call, options, error, budget))) {
        throw lost ?? (failure instanceof NotConnectedError ? refusal : undefined) ?? failure;
      }
      try {
        return await this.#attempt(call, options);
      } catch (next) {
        error = next;
      }
    }
  }

  #failureOf(error: unknown, call: Call): Error {
    if (failureKind(error) === 'unsent') return this.#link.notConnected();
    return toCallerError(error, call.label, this.#target);
  }

  async #mayRepeat(
    call: Call,
    options: CallOptions,
    error: unknown,
    budget: RetryBudget,
  ): Promise<boolean> {
    const kind = failureKind(error);
    if (kind === 'noscript') return call.sendWhole();
    if (kind === 'final' || (kind === 'lost' && options.idempotent !== true)) return false;
    return budget.pause(kind === 'unsent' ? this.#settings.connectTimeoutMs : undefined);
  }

  #attempt(call: Call, options: CallOptions): Promise<unknown> {
    const { client } = this.#link;
    if (client === undefined || !this.#isChecked) return this.#attemptWhenReady(call, options);
    return this.#send(client, call, options.timeoutMs ?? this.#settings.commandTimeoutMs);
  }

  async #attemptWhenReady(call: Call, options: CallOptions): Promise<unknown> {
    const { connectTimeoutMs, commandTimeoutMs } = this.#settings;
    const client = await this.#link.ready(options.timeoutMs ?? connectTimeoutMs, options.signal);
    if (!this.#isChecked) await this.#check(client);
    return this.#send(client, call, options.timeoutMs ?? commandTimeoutMs);
  }

  /** One timer for a call: the client library's own limits do not cover every state. */
  #send(client: RedisClient, call: Call, timeoutMs: number): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#lastAnswered = false;
        const error = this.#timeout(call, timeoutMs);
        this.#link.drop(client, call.key, error);
        reject(error);
      }, timeoutMs);
      call.send(client).then(
        (reply) => {
          clearTimeout(timer);
          this.#lastAnswered = true;
          resolve(reply);
        },
        (error: Error) => {
          clearTimeout(timer);
          this.#lastAnswered = error.name === 'ReplyError';
          reject(error);
        },
      );
    });
  }

  #timeout(call: Call, timeoutMs: number): CommandTimeoutError {
    return new CommandTimeoutError(
      `${this.#target} did not answer ${call.label} within ${timeoutMs} ms; it may have happened`,
    );
  }

  /** Once for each connection object; calls that come meanwhile wait for the same answer. */
  async #check(client: RedisClient): Promise<void> {
    const { logger, commandTimeoutMs } = this.#settings;
    this.#serverCheck ??= this.#send(client, serverCheckCall(logger), commandTimeoutMs)
      .then(() => void (this.#isChecked = true))
      .catch((error: Error) => {
        this.#serverCheck = undefined;
        throw error;
      });
    await this.#serverCheck;
  }
}
