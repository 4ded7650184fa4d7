import type { HandlerLogger } from '../contract/index.js';
import { ClosedError, NotConnectedError } from '../errors/index.js';
import { destroyClient, isClusterClient, type RedisClient } from './client.js';
import { nodeOf } from './cluster-node.js';
import { withoutArguments } from './server-errors.js';

const FIRST_RETRY_MS = 50;
const LONGEST_RETRY_MS = 2_000;
/** After a line about a loss the next one is this far away: a demoted master cuts at each try. */
const QUIET_MS = 5_000;

/** What a link needs to know. */
export interface LinkSettings {
  readonly create: () => RedisClient;
  /** Names the server in messages, without secrets. */
  readonly target: string;
  /** Names the link in the log. */
  readonly label: string;
  /** After which a connection that is not ready yet is given up, in milliseconds. */
  readonly connectTimeoutMs: number;
  readonly logger: HandlerLogger | undefined;
}

interface Waiter {
  resolve(client: RedisClient): void;
  reject(error: Error): void;
}

/**
 * One connection that is opened at the first use and again, for ever, whenever it breaks.
 *
 * Neither its socket nor its timers keep a process alive; a call that waits for it does.
 */
export class Link {
  readonly #waiters = new Set<Waiter>();
  #client: RedisClient | undefined;
  #openTimer: NodeJS.Timeout | undefined;
  #retryTimer: NodeJS.Timeout | undefined;
  #failures = 0;
  #down = false;
  #toldAt = -Infinity;
  /** Why there was no connection, the last time that something was told. */
  #lastError: Error | undefined;
  /** What the present client told. */
  #clientError: Error | undefined;
  #closed = false;

  constructor(private readonly settings: LinkSettings) {}

  /** The client when a command can be sent in this tick, else `undefined`. */
  get client(): RedisClient | undefined {
    return this.#client?.status === 'ready' ? this.#client : undefined;
  }

  /**
   * The client once it is ready, opening it when need be. Rejects with `NotConnectedError` after
   * `timeoutMs` or when the signal aborts, with `ClosedError` when the link is closed.
   */
  ready(timeoutMs: number, signal?: AbortSignal): Promise<RedisClient> {
    if (this.#closed) return Promise.reject(new ClosedError('the connection'));
    if (this.client !== undefined) return Promise.resolve(this.client);
    if (this.#client === undefined && this.#retryTimer === undefined) this.#open();
    return this.#wait(timeoutMs, signal);
  }

  /** Says that there is no connection, and why. */
  notConnected(): NotConnectedError {
    const cause = this.#lastError;
    return new NotConnectedError(
      `no connection to ${this.settings.target} (${describe(cause)})`,
      cause && { cause },
    );
  }

  /** Gives up a connection that does not answer, and opens a new one. */
  replace(client: RedisClient, reason: Error): void {
    if (client !== this.#client) return;
    this.#lose(reason);
    destroyClient(client);
  }

  /** Gives up the socket that does not answer for a key; of a cluster only that node's. */
  drop(client: RedisClient, key: string | undefined, reason: Error): void {
    if (!isClusterClient(client) || key === undefined) return this.replace(client, reason);
    const node = nodeOf(client, key);
    if (node === client) this.replace(client, reason);
    else destroyClient(node);
  }

  /** Lets what is in flight end (QUIT), for at most `graceMs`, and closes. */
  async close(graceMs: number): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#retryTimer);
    clearTimeout(this.#openTimer);
    for (const waiter of this.#waiters) waiter.reject(new ClosedError('the connection'));
    const client = this.#client;
    if (client === undefined) return;
    if (client.status === 'ready') await settled(client.quit(), graceMs);
    destroyClient(client);
  }

  #open(): void {
    const client = this.settings.create();
    this.#client = client;
    this.#clientError = undefined;
    unrefSockets(client);
    client.on('error', (error: Error) => this.#onError(client, error));
    client.on('node error', (error: Error) => (this.#clientError = withoutArguments(error)));
    client.on('ready', () => this.#onReady(client));
    client.on('end', () => client === this.#client && this.#lose(this.#clientError));
    this.#openTimer = setTimeout(() => {
      if (client.status !== 'ready') this.replace(client, new Error('no answer while connecting'));
    }, this.settings.connectTimeoutMs).unref();
    client.connect().catch(() => undefined); // told by the events
  }

  #onError(client: RedisClient, error: Error): void {
    this.#clientError = withoutArguments(error);
    this.#lastError = this.#clientError;
    const { command } = error as Error & { command?: { name?: string } };
    // a refused SELECT would leave us in database 0
    if (command?.name === 'select') this.replace(client, this.#lastError);
  }

  #onReady(client: RedisClient): void {
    if (client !== this.#client || client.status !== 'ready') return;
    clearTimeout(this.#openTimer);
    this.#failures = 0;
    if (this.#down) this.settings.logger?.log(`${this.settings.label}: connected again`);
    this.#down = false;
    for (const waiter of this.#waiters) waiter.resolve(client);
  }

  #lose(reason: Error | undefined): void {
    this.#client = undefined;
    clearTimeout(this.#openTimer);
    if (this.#closed) return;
    this.#report(reason);
    const longest = Math.min(FIRST_RETRY_MS * 2 ** this.#failures++, LONGEST_RETRY_MS);
    this.#retryTimer = setTimeout(
      () => {
        this.#retryTimer = undefined;
        this.#open();
      },
      longest * (0.5 + Math.random() / 2),
    ).unref();
  }

  /** One line for each change of state, not for each try, and none for a loss soon after another. */
  #report(reason: Error | undefined): void {
    this.#lastError = reason ?? new Error('the server closed the connection');
    const now = performance.now();
    if (this.#down || now - this.#toldAt < QUIET_MS) return;
    this.#down = true;
    this.#toldAt = now;
    const { label, target, logger } = this.settings;
    logger?.warn(
      `${label}: no connection to ${target} (${describe(this.#lastError)}), trying again`,
    );
  }

  #wait(timeoutMs: number, signal: AbortSignal | undefined): Promise<RedisClient> {
    return new Promise((resolve, reject) => {
      const done = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', giveUp);
        this.#waiters.delete(waiter);
      };
      const giveUp = () => waiter.reject(this.notConnected());
      const waiter: Waiter = {
        resolve: (client) => (done(), resolve(client)),
        reject: (error) => (done(), reject(error)),
      };
      const timer = setTimeout(giveUp, timeoutMs);
      signal?.addEventListener('abort', giveUp);
      this.#waiters.add(waiter);
      if (signal?.aborted) giveUp();
    });
  }
}

/** A socket must not keep a process alive whose start failed or whose work is done. */
function unrefSockets(client: RedisClient): void {
  client.on('connect', () => client.stream?.unref());
  if (!isClusterClient(client)) return;
  client.on('+node', (node: RedisClient) => node.on('connect', () => node.stream?.unref()));
}

function describe(error: Error | undefined): string {
  if (error === undefined) return 'no answer';
  return (error as NodeJS.ErrnoException).code ?? error.message;
}

/** Lets what is in flight on a client end (QUIT), for at most `graceMs`, and closes it. */
export async function quitClient(client: RedisClient, graceMs: number): Promise<void> {
  if (client.status === 'end') return;
  const ended = new Promise<void>((resolve) => client.on('end', () => resolve()));
  if (client.status === 'ready') await settled(client.quit(), graceMs);
  destroyClient(client);
  await settled(ended, graceMs);
}

/** Resolves when the promise has settled either way, or after `ms`. */
export function settled(promise: Promise<unknown>, ms: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    const end = () => (clearTimeout(timer), resolve());
    promise.then(end, end);
  });
}
