import { ClosedError, PoolExhaustedError } from '../errors/index.js';
import type { CallOptions, EmbeddedScript } from './calls.js';
import type { ScriptArgument } from './codecs.js';
import type { RedisConnection } from './connection.js';
import type { ScriptRunner } from './script.js';

/** How large a pool is, and how long its callers wait. */
export interface PoolLimits {
  /** The most connections, and so the most commands in flight. */
  readonly maxConnections: number;
  /** How long a call waits for a free connection, in milliseconds. */
  readonly poolTimeoutMs: number;
}

interface Waiter {
  take(connection: RedisConnection): void;
  fail(error: Error): void;
}

/**
 * A bounded set of connections, each with one command in flight.
 *
 * The first is the connection it was made from; others are opened when all are busy, and the one
 * that was free last is used first, so a quiet process stays with one. Closed with that connection.
 */
export class ConnectionPool implements ScriptRunner {
  readonly #free: RedisConnection[];
  readonly #waiters = new Set<Waiter>();
  #opened = 1;
  #isClosed = false;

  constructor(
    private readonly first: RedisConnection,
    private readonly limits: PoolLimits,
  ) {
    this.#free = [first];
  }

  /** How many connections were opened so far. */
  get size(): number {
    return this.#opened;
  }

  /** As `RedisConnection.evaluate`; rejects with `PoolExhaustedError` when none becomes free. */
  evaluate(
    script: EmbeddedScript,
    keys: readonly string[],
    args: readonly ScriptArgument[],
    options?: CallOptions,
  ): Promise<unknown> {
    return this.#use((connection) => connection.evaluate(script, keys, args, options));
  }

  /** As `RedisConnection.command`; rejects with `PoolExhaustedError` when none becomes free. */
  command(name: string, args: readonly ScriptArgument[], options?: CallOptions): Promise<unknown> {
    return this.#use((connection) => connection.command(name, args, options));
  }

  /** Refuses further calls and ends the waits; the connections close with the one they came from. */
  close(): void {
    this.#isClosed = true;
    for (const waiter of this.#waiters) waiter.fail(new ClosedError('the connection pool'));
  }

  async #use<T>(call: (connection: RedisConnection) => Promise<T>): Promise<T> {
    const connection = this.#takeNow() ?? (await this.#wait());
    try {
      return await call(connection);
    } finally {
      this.#giveBack(connection);
    }
  }

  #takeNow(): RedisConnection | undefined {
    if (this.#isClosed) throw new ClosedError('the connection pool');
    const free = this.#free.pop();
    if (free !== undefined || this.#opened >= this.limits.maxConnections) return free;
    this.#opened++;
    return this.first.fork();
  }

  #wait(): Promise<RedisConnection> {
    const { maxConnections, poolTimeoutMs } = this.limits;
    return new Promise((resolve, reject) => {
      const settle = () => {
        clearTimeout(timer);
        this.#waiters.delete(waiter);
      };
      const waiter: Waiter = {
        take: (connection) => (settle(), resolve(connection)),
        fail: (error) => (settle(), reject(error)),
      };
      const timer = setTimeout(
        () => waiter.fail(new PoolExhaustedError(maxConnections, poolTimeoutMs)),
        poolTimeoutMs,
      );
      this.#waiters.add(waiter);
    });
  }

  #giveBack(connection: RedisConnection): void {
    const [next] = this.#waiters; // whoever has waited longest
    if (next !== undefined) next.take(connection);
    else this.#free.push(connection);
  }
}
