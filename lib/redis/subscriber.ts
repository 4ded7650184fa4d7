import { ClosedError } from '../errors/index.js';
import { isClusterClient, type RedisClient } from './client.js';
import { settled, type Link } from './link.js';
import { pause } from './retry-budget.js';
import { toCallerError } from './server-errors.js';

const FIRST_PAUSE_MS = 25;
const LONGEST_PAUSE_MS = 1_000;
const CLOSE_GRACE_MS = 500;
/** How often a quiet connection is asked whether it lives, in milliseconds. */
const PING_EVERY_MS = 10_000;

/** What the connection lends to its subscriber. */
export interface SubscriberHost {
  readonly connectTimeoutMs: number;
  createLink(): Link;
}

/** A listener's share in a channel. */
export interface Subscription {
  /** Ends it; the last one of a channel ends the channel. Safe to repeat. */
  release(): Promise<void>;
}

interface Channel {
  readonly listeners: Set<() => void>;
  /** Resolves once the server has confirmed it on the present connection. */
  confirmed: Promise<void>;
}

/**
 * The one subscribed connection of a process, opened at the first subscription.
 *
 * Channels are counted by their listeners. What is published while the connection is away is lost:
 * when it breaks and again when it is back, every listener is called, to look for itself.
 */
export class Subscriber {
  readonly #channels = new Map<string, Channel>();
  readonly #link: Link;
  #client: RedisClient | undefined;
  #connecting: Promise<RedisClient> | undefined;
  #pings: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(private readonly host: SubscriberHost) {
    this.#link = host.createLink();
  }

  /** How many channels have listeners. */
  get size(): number {
    return this.#channels.size;
  }

  /**
   * Calls `listener` once a message of the channel. Resolves when the server has confirmed the
   * subscription: what is published after that is heard.
   *
   * @throws NotConnectedError without a connection within `connectTimeoutMs`; ClosedError
   */
  async subscribe(name: string, listener: () => void): Promise<Subscription> {
    if (this.#isClosed) throw new ClosedError('the subscriber');
    const channel = this.#channels.get(name) ?? this.#open(name);
    channel.listeners.add(listener);
    const release = () => this.#release(name, channel, listener);
    try {
      await channel.confirmed;
    } catch (error) {
      await release();
      throw error;
    }
    return { release };
  }

  /** Ends all subscriptions and closes the connection. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#pings);
    this.#tellAll();
    this.#channels.clear();
    await this.#link.close(CLOSE_GRACE_MS);
  }

  #open(name: string): Channel {
    const channel: Channel = { listeners: new Set(), confirmed: this.#confirm(name) };
    this.#channels.set(name, channel);
    return channel;
  }

  async #confirm(name: string): Promise<void> {
    const client = await this.#connected();
    await new Promise<unknown>((resolve, reject) => {
      // the timer keeps the process alive, which the socket does not
      const timer = setTimeout(() => {
        this.#link.replace(client, new Error('a subscription was not confirmed'));
        reject(this.#link.notConnected());
      }, this.host.connectTimeoutMs);
      const fail = (error: Error) => reject(this.#failureOf(error));
      const confirming = client.subscribe(prefixOf(client) + name);
      void confirming.then(resolve, fail).finally(() => clearTimeout(timer));
    });
  }

  #failureOf(error: Error): Error {
    if (error.name !== 'ReplyError') return this.#link.notConnected();
    return toCallerError(error, 'SUBSCRIBE', 'the server');
  }

  async #release(name: string, channel: Channel, listener: () => void): Promise<void> {
    channel.listeners.delete(listener);
    if (channel.listeners.size > 0 || this.#channels.get(name) !== channel) return;
    this.#channels.delete(name);
    const client = this.#client;
    if (client?.status !== 'ready') return; // the server has forgotten it with the connection
    await settled(client.unsubscribe(prefixOf(client) + name), this.host.connectTimeoutMs);
  }

  #connected(): Promise<RedisClient> {
    if (this.#client?.status === 'ready') return Promise.resolve(this.#client);
    this.#connecting ??= this.#connect().finally(() => (this.#connecting = undefined));
    return this.#connecting;
  }

  async #connect(): Promise<RedisClient> {
    const client = await this.#link.ready(this.host.connectTimeoutMs);
    if (client === this.#client) return client;
    this.#client = client;
    client.on('message', (channel: string) => this.#tell(channel.slice(prefixOf(client).length)));
    client.on('end', () => void this.#recover(client));
    clearInterval(this.#pings);
    if (!isClusterClient(client)) {
      this.#pings = setInterval(() => void this.#ping(client), PING_EVERY_MS).unref();
    }
    return client;
  }

  #tell(name: string): void {
    for (const listener of this.#channels.get(name)?.listeners ?? []) listener();
  }

  #tellAll(): void {
    for (const name of this.#channels.keys()) this.#tell(name);
  }

  /** The connection broke: subscribes anew, for as long as somebody listens. */
  async #recover(lost: RedisClient): Promise<void> {
    if (lost !== this.#client) return;
    this.#client = undefined;
    clearInterval(this.#pings);
    this.#tellAll();
    for (let ms = FIRST_PAUSE_MS; this.#isWanted(); ms = Math.min(ms * 2, LONGEST_PAUSE_MS)) {
      await pause(ms);
      if (await this.#subscribeAll()) return this.#tellAll();
    }
  }

  /** Whether there is still something to subscribe and nobody else did it meanwhile. */
  #isWanted(): boolean {
    return !this.#isClosed && this.#channels.size > 0;
  }

  async #subscribeAll(): Promise<boolean> {
    const channels = [...this.#channels];
    for (const [name, channel] of channels) {
      channel.confirmed = this.#confirm(name);
      channel.confirmed.catch(() => undefined);
    }
    const results = await Promise.allSettled(channels.map(([, { confirmed }]) => confirmed));
    return results.every(({ status }) => status === 'fulfilled');
  }

  /** A black-holed socket never says so. */
  async #ping(client: RedisClient): Promise<void> {
    let isAlive = false;
    const pong = client.callBuffer('ping', []).then(() => void (isAlive = true));
    await settled(pong, this.host.connectTimeoutMs);
    if (!isAlive) this.#link.replace(client, new Error('a subscribed connection did not answer'));
  }
}

/** The client library does not put its `keyPrefix` before channels; the scripts' base has it. */
function prefixOf(client: RedisClient): string {
  return client.options.keyPrefix ?? '';
}
