import { CommandTimeoutError, NotConnectedError, ReplyLostError } from '../errors/index.js';
import type { Call, CallOptions } from './calls.js';
import type { RedisClient } from './client.js';
import type { CheckedSettings } from './connection.options.js';
import type { Link } from './link.js';
import { RetryBudget } from './retry-budget.js';
import { serverCheckCall } from './server-check.js';
import { failureKind, IN_DOUBT, toCallerError, withoutDoubt } from './server-errors.js';

/** Sends the calls of one link: each with a deadline, and again where the retry rule allows it. */
export class Caller {
  readonly #settings: CheckedSettings;
  #serverCheck: Promise<void> | undefined;
  #isChecked = false;
  #lastAnswered = false;

  /** @param target names the server in messages, without secrets */
  constructor(
    private readonly link: Link,
    private readonly target: string,
    settings: CheckedSettings,
  ) {
    this.#settings = settings;
  }

  /** Whether the link is ready and its last command was answered. */
  get connected(): boolean {
    return this.#lastAnswered && this.link.client !== undefined;
  }

  /** The reply; rejects as `RedisConnection` says. */
  async perform(call: Call, options: CallOptions): Promise<unknown> {
    try {
      return await this.#attempt(call, options);
    } catch (error) {
      if (options.readsOnly !== true) return this.#performAgain(call, options, error);
      return this.#performAgain(call, options, error).catch((failure: unknown) => {
        throw withoutDoubt(failure);
      });
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
    if (failureKind(error) === 'unsent') return this.link.notConnected();
    return toCallerError(error, call.label, this.target);
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
    const { client } = this.link;
    if (client === undefined || !this.#isChecked) return this.#attemptWhenReady(call, options);
    return this.#send(client, call, options.timeoutMs ?? this.#settings.commandTimeoutMs);
  }

  async #attemptWhenReady(call: Call, options: CallOptions): Promise<unknown> {
    const { connectTimeoutMs, commandTimeoutMs } = this.#settings;
    const client = await this.link.ready(options.timeoutMs ?? connectTimeoutMs, options.signal);
    if (!this.#isChecked) await this.#check(client);
    return this.#send(client, call, options.timeoutMs ?? commandTimeoutMs);
  }

  /** One timer for a call: the client library's own limits do not cover every state. */
  #send(client: RedisClient, call: Call, timeoutMs: number): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#lastAnswered = false;
        const error = this.#timeout(call, timeoutMs);
        this.link.drop(client, call.key, error);
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
      `${this.target} did not answer ${call.label} within ${timeoutMs} ms${IN_DOUBT}`,
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
