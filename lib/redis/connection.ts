import { ClosedError, CommandTimeoutError, ReplyLostError } from '../errors/index.js';
import { CommandCall, ScriptCall, UnblockCall } from './calls.js';
import type { Call, CallOptions, EmbeddedScript } from './calls.js';
import { createClient, describeTarget, leadsToCluster } from './client-factory.js';
import { destroyClient, isClusterClient, type RedisClient } from './client.js';
import { nodeOf } from './cluster-node.js';
import type { ScriptArgument } from './codecs.js';
import {
  checkConnectionSettings,
  type CheckedSettings,
  type ConnectionSettings,
} from './connection.options.js';
import { Doorbell } from './doorbell.js';
import { Link, settled } from './link.js';
import { RetryBudget } from './retry-budget.js';
import { checkServer } from './server-check.js';
import { failureKind, toCallerError } from './server-errors.js';

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
  readonly #settings: CheckedSettings;
  readonly #target: string;
  readonly #link: Link;
  #serverCheck: Promise<void> | undefined;
  #isChecked = false;
  #lastAnswered = false;
  #closing: Promise<void> | undefined;

  /** Checks the settings (`InvalidOptionError`) and opens nothing. */
  constructor(settings: ConnectionSettings) {
    this.#settings = checkConnectionSettings(settings);
    this.isCluster = leadsToCluster(this.#settings.connection);
    this.blockMs = this.#settings.blockMs;
    this.#target = describeTarget(this.#settings.connection);
    this.#link = this.#createLink('commands');
    this.doorbell = new Doorbell({
      isCluster: this.isCluster,
      blockMs: this.blockMs,
      connectTimeoutMs: this.#settings.connectTimeoutMs,
      createLink: () => this.#createLink('doorbell'),
      command: (name, args) => this.#perform(new CommandCall(name, args), NO_OPTIONS),
      unblock: (key, id) => this.#perform(new UnblockCall(key, id), { timeoutMs: 1_000 }),
    });
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
   * Ends the waits, lets commands in flight end for up to a second, and closes; never hangs, also
   * when Redis is gone. A client that was handed over is left alone unless `quitBorrowed`.
   */
  close(options: { readonly quitBorrowed?: boolean } = {}): Promise<void> {
    return (this.#closing ??= this.#close(options.quitBorrowed ?? false));
  }

  async #close(quitBorrowed: boolean): Promise<void> {
    await this.doorbell.close();
    await this.#link.close(CLOSE_GRACE_MS);
    const { connection } = this.#settings;
    if (!quitBorrowed || connection.kind !== 'client') return;
    await quitClient(connection.client as unknown as RedisClient);
  }

  #assertOpen(): void {
    if (this.#closing !== undefined) throw new ClosedError('the Redis connection');
  }

  #createLink(role: 'commands' | 'doorbell'): Link {
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
    let lost: Error | undefined;
    for (let error = first; ;) {
      const failure = toCallerError(error, call.label, this.#target);
      if (failure instanceof ReplyLostError) lost = failure;
      // what was sent once may have happened, whatever the later tries say
      if (!(await this.#mayRepeat(call, options, error, budget))) throw lost ?? failure;
      try {
        return await this.#attempt(call, options);
      } catch (next) {
        error = next;
      }
    }
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
        this.#drop(client, call.key, error);
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

  /** A black-holed socket never answers, so it is replaced; of a cluster only the node's. */
  #drop(client: RedisClient, key: string | undefined, reason: Error): void {
    if (!isClusterClient(client) || key === undefined) return this.#link.replace(client, reason);
    const node = nodeOf(client, key);
    if (node === client) this.#link.replace(client, reason);
    else destroyClient(node);
  }

  #timeout(call: Call, timeoutMs: number): CommandTimeoutError {
    return new CommandTimeoutError(
      `${this.#target} did not answer ${call.label} within ${timeoutMs} ms; it may have happened`,
    );
  }

  /** Once for each connection object; calls that come meanwhile wait for the same answer. */
  async #check(client: RedisClient): Promise<void> {
    this.#serverCheck ??= this.#send(
      client,
      checkCall(this.#settings),
      this.#settings.commandTimeoutMs,
    )
      .then(() => void (this.#isChecked = true))
      .catch((error: Error) => {
        this.#serverCheck = undefined;
        throw error;
      });
    await this.#serverCheck;
  }
}

function checkCall({ logger }: CheckedSettings): Call {
  return {
    label: 'INFO',
    key: undefined,
    send: (client) => checkServer(client, logger),
    sendWhole: () => false,
  };
}

async function quitClient(client: RedisClient): Promise<void> {
  if (client.status === 'end') return;
  const ended = new Promise<void>((resolve) => client.on('end', () => resolve()));
  if (client.status === 'ready') await settled(client.quit(), CLOSE_GRACE_MS);
  destroyClient(client);
  await settled(ended, CLOSE_GRACE_MS);
}
