import { setMaxListeners } from 'node:events';
import { NotInitialisedError } from '../errors/index.js';
import {
  type CallOptions,
  ConnectionPool,
  KeySpace,
  type PoolLimits,
  type RedisConnection,
  type Script,
  type Subscription,
} from '../redis/index.js';
import { cleanScript, openScript } from './broker.scripts.js';
import { untilAborted } from './until-aborted.js';

/** Where a namespace is. */
export interface StoragePlace {
  readonly connection: RedisConnection;
  readonly prefix: string;
  readonly namespace: string;
  readonly pool: PoolLimits;
}

type Opened = Awaited<ReturnType<(typeof openScript)['run']>>;

/** A namespace on a Redis: opened, or refused, at the first call, and anew after a clean-up. */
export class RedisStorage {
  readonly space: KeySpace;
  readonly #pool: ConnectionPool;
  readonly #connection: RedisConnection;
  readonly #stopper = new AbortController();
  #opened: Promise<Opened> | undefined;

  /** Checks prefix and namespace, opens nothing. */
  constructor({ connection, prefix, namespace, pool }: StoragePlace) {
    this.#connection = connection;
    this.#pool = new ConnectionPool(connection, pool);
    this.space = new KeySpace(prefix, 'broker', namespace);
    setMaxListeners(0, this.#stopper.signal); // a listener a call that waits: no leak
  }

  /** Whether the last command was answered. */
  get connected(): boolean {
    return this.#connection.connected;
  }

  /** What the namespace's meta hash says now. @throws NamespaceError */
  meta(): Promise<Opened> {
    return this.#send(openScript, { db: String(this.#connection.database) });
  }

  /**
   * Runs a script of an opened namespace; a namespace deleted meanwhile is opened anew. A signal
   * takes the place of the one that `close` aborts (one made of both is never freed on Node 20).
   */
  async run<Args, Reply>(
    script: Script<Args, Reply>,
    args: Args,
    options: CallOptions = {},
  ): Promise<Reply> {
    const { signal } = options;
    await (signal === undefined ? this.#open() : untilAborted(this.#open(), signal));
    try {
      return await this.#send(script, args, options);
    } catch (error) {
      if (!(error instanceof NotInitialisedError)) throw error;
      this.#opened = undefined;
      await this.#open();
      return this.#send(script, args, options);
    }
  }

  /**
   * The same for a script that gives back what is due before its verb takes place: call by call, as
   * each gives back so much and no more, until the verb has taken place.
   */
  async runAll<Args, Reply>(script: Script<Args, Reply | null>, args: Args): Promise<Reply> {
    for (;;) {
      const reply = await this.run(script, args);
      if (reply !== null) return reply;
    }
  }

  /** Deletes the namespace, which is not opened for it; answers whether there was one. */
  clean(): Promise<boolean> {
    this.#opened = undefined;
    return this.#send(cleanScript, {});
  }

  /** Channels carry prefix, namespace and database: equal names elsewhere are not heard. */
  async subscribe(queue: string, listener: () => void): Promise<Subscription> {
    const { db } = await this.#open();
    return this.#connection.subscriber.subscribe(this.space.key('activity', db, queue), listener);
  }

  /** Ends pauses between retries and waits for a connection. */
  close(): void {
    this.#stopper.abort();
    this.#pool.close();
  }

  #open(): Promise<Opened> {
    return (this.#opened ??= this.meta().catch((error: Error) => {
      this.#opened = undefined;
      throw error;
    }));
  }

  #send<Args, Reply>(
    script: Script<Args, Reply>,
    args: Args,
    { signal = this.#stopper.signal, ...options }: CallOptions = {},
  ): Promise<Reply> {
    return script.run(this.#pool, this.space, args, { ...options, signal });
  }
}
