import type { HandlerLogger } from '../contract/index.js';
import { InvalidOptionError } from '../errors/index.js';
import { RedisConnection } from './connection.js';
import type { ConnectionOptions } from './connection.options.js';

/** How an engine that is used without the module reaches Redis. */
export interface StandaloneOptions {
  /** Exactly one of `connection` and `client`. */
  readonly connection?: ConnectionOptions;
  /** A client of yours: the engine works on duplicates of it and never closes it. */
  readonly client?: ConnectionOptions['client'];
  /** @default Nest's own logger */
  readonly logger?: HandlerLogger;
  /** How long a call waits for a usable connection, in milliseconds. @default 5_000 */
  readonly connectTimeoutMs?: number;
  /** How long a call waits for its reply, in milliseconds. @default 5_000 */
  readonly commandTimeoutMs?: number;
  /** The longest single blocking read, in milliseconds. @default 5_000 */
  readonly blockMs?: number;
}

/** The names of all standalone options. */
export const STANDALONE_OPTIONS = Object.freeze([
  'connection',
  'client',
  'logger',
  'connectTimeoutMs',
  'commandTimeoutMs',
  'blockMs',
] as const satisfies readonly (keyof StandaloneOptions)[]);

/** Those of the options that have one of the names, for example the engine's own. */
export function pickOptions<T extends object, Name extends keyof T>(
  options: T,
  names: readonly Name[],
): Pick<T, Name> {
  return Object.fromEntries(names.map((name) => [name, options[name]])) as Pick<T, Name>;
}

/**
 * The connection of an engine used without the module; nothing is opened yet. Options that are not
 * its business are left alone.
 *
 * @param name part of the connections' names on the server
 * @throws InvalidOptionError naming the option
 */
export function openStandalone(options: StandaloneOptions, name: string): RedisConnection {
  const { connection, client, logger, connectTimeoutMs, commandTimeoutMs, blockMs } = options;
  if ((connection === undefined) === (client === undefined)) {
    throw new InvalidOptionError('connection', 'give exactly one of connection and client');
  }
  return new RedisConnection({
    connection: connection ?? { client },
    name,
    ...(logger !== undefined && { logger }),
    ...(connectTimeoutMs !== undefined && { connectTimeoutMs }),
    ...(commandTimeoutMs !== undefined && { commandTimeoutMs }),
    ...(blockMs !== undefined && { blockMs }),
  });
}
