import type { RedisClient } from './client.js';
import { nodeOf } from './cluster-node.js';
import type { ScriptArgument } from './codecs.js';

/** A script's text and its SHA-1, as embedded. */
export interface EmbeddedScript {
  /** Names it in errors. */
  readonly name?: string;
  readonly sha1: string;
  readonly lua: string;
}

/** What a caller may say about one call. */
export interface CallOptions {
  /** Ends a wait for the connection and the pauses between retries; a command in flight goes on. */
  readonly signal?: AbortSignal;
  /** Whether the call may be sent again after its reply was lost. @default false */
  readonly idempotent?: boolean;
  /** Whether a lost reply leaves nothing open, since the call only reads. @default false */
  readonly readsOnly?: boolean;
  /** Milliseconds until the call fails. @default the connection's `commandTimeoutMs` */
  readonly timeoutMs?: number;
}

/** One call as the connection sends it, as often as the retry rule allows. */
export interface Call {
  /** Names it in errors; no arguments, which may be secret. */
  readonly label: string;
  /** A key that tells which node of a cluster is asked. */
  readonly key: string | undefined;
  send(client: RedisClient): Promise<unknown>;
  /** After NOSCRIPT: makes the next `send` carry the whole text; `false` when it did so already. */
  sendWhole(): boolean;
}

/** A script: by its hash, by its text once the server has forgotten it. */
export class ScriptCall implements Call {
  readonly label: string;
  #whole = false;

  constructor(
    private readonly script: EmbeddedScript,
    private readonly keys: readonly string[],
    private readonly args: readonly ScriptArgument[],
  ) {
    this.label = script.name === undefined ? 'a script' : `the script ${script.name}`;
  }

  get key(): string {
    return this.keys[0];
  }

  // the client flattens the two lists into the command's own array
  send(client: RedisClient): Promise<unknown> {
    const { script, keys, args } = this;
    return this.#whole
      ? client.evalBuffer(script.lua, keys.length, keys, args)
      : client.evalshaBuffer(script.sha1, keys.length, keys, args);
  }

  sendWhole(): boolean {
    if (this.#whole) return false;
    this.#whole = true;
    return true;
  }
}

/** Any single command. */
export class CommandCall implements Call {
  readonly label: string;
  readonly #name: string;

  constructor(
    name: string,
    private readonly args: readonly ScriptArgument[],
  ) {
    this.label = name.toUpperCase();
    this.#name = name.toLowerCase(); // ioredis finds the keys of a command by its lower-case name
  }

  get key(): string | undefined {
    return typeof this.args[0] === 'string' ? this.args[0] : undefined;
  }

  send(client: RedisClient): Promise<unknown> {
    return client.callBuffer(this.#name, this.args);
  }

  sendWhole(): boolean {
    return false;
  }
}

/** `CLIENT UNBLOCK` on the node that serves a key, where the blocked connection is. */
export class UnblockCall implements Call {
  readonly label = 'CLIENT UNBLOCK';

  constructor(
    readonly key: string,
    private readonly clientId: number,
  ) {}

  send(client: RedisClient): Promise<unknown> {
    return nodeOf(client, this.key).callBuffer('client', ['UNBLOCK', this.clientId]);
  }

  sendWhole(): boolean {
    return false;
  }
}
