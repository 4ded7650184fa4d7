import type { Cluster, ClusterNode, ClusterOptions, Redis, RedisOptions } from 'ioredis';
import type { HandlerLogger } from '../contract/index.js';
import {
  checkDuration,
  checkFunction,
  checkInteger,
  checkKeys,
  checkOneOf,
  checkRecord,
  InvalidOptionError,
  MAX_TIMER_MS,
  withoutUndefined,
} from '../errors/index.js';
import { parseConnectionUrl } from './connection-url.js';
import { checkName } from './names.js';

/** Where Redis is: exactly one of the five. */
export interface ConnectionOptions {
  /** `redis[s]://[[user]:password@]host[:port][/db]`, user and password percent-encoded. */
  readonly url?: string;
  /** Options of an ioredis client, with a `host` or a `path`; there is no default host. */
  readonly options?: RedisOptions;
  /** A Redis Cluster by some of its nodes. */
  readonly cluster?: { readonly nodes: readonly ClusterNode[]; readonly options?: ClusterOptions };
  /** A master that sentinels watch. */
  readonly sentinels?: {
    readonly sentinels: readonly { readonly host: string; readonly port: number }[];
    readonly name: string;
    readonly options?: RedisOptions;
  };
  /**
   * A client of yours, as a template: the library works on duplicates of it with settings of its
   * own (a `keyPrefix` is kept) and never sends a command on it.
   */
  readonly client?: Redis | Cluster;
}

/** Everything about one connection; its times go up to 2,147,483,647, the longest of a timer. */
export interface ConnectionSettings {
  readonly connection: ConnectionOptions;
  /** Part of the connections' names on the server, `nest-redis-queue:<name>:…`. @default 'default' */
  readonly name?: string;
  /** How long a call waits for a connection, in milliseconds. @default 5_000 */
  readonly connectTimeoutMs?: number;
  /** How long a call waits for its reply, in milliseconds. @default 5_000 */
  readonly commandTimeoutMs?: number;
  /** The longest single blocking read, in milliseconds. @default 5_000 */
  readonly blockMs?: number;
  /** Gets one line for each change of state. @default none */
  readonly logger?: HandlerLogger;
}

/** What holds where `ConnectionSettings` says nothing. */
export const CONNECTION_DEFAULTS: Readonly<
  Required<Omit<ConnectionSettings, 'connection' | 'logger'>>
> = Object.freeze({
  name: 'default',
  connectTimeoutMs: 5_000,
  commandTimeoutMs: 5_000,
  blockMs: 5_000,
});

/** Settings with the defaults filled in and the way to Redis checked. */
export type CheckedSettings = Required<Omit<ConnectionSettings, 'connection' | 'logger'>> & {
  readonly connection: CheckedConnection;
  readonly logger: HandlerLogger | undefined;
};

/** The one way that was given; a URL is turned into options. */
export type CheckedConnection =
  | { readonly kind: 'single'; readonly options: RedisOptions }
  | {
      readonly kind: 'cluster';
      readonly nodes: readonly ClusterNode[];
      readonly options: ClusterOptions;
    }
  | { readonly kind: 'client'; readonly client: Redis | Cluster };

const SETTINGS = [
  'connection',
  'name',
  'connectTimeoutMs',
  'commandTimeoutMs',
  'blockMs',
  'logger',
] as const satisfies readonly (keyof ConnectionSettings)[];
const PORTS = { min: 1, max: 65_535 };
const TIMERS = { max: MAX_TIMER_MS };
const WAYS = ['url', 'options', 'cluster', 'sentinels', 'client'] as const;
type Way = (typeof WAYS)[number];

/** Checks all settings and opens nothing; throws `InvalidOptionError` naming the wrong one. */
export function checkConnectionSettings(settings: ConnectionSettings): CheckedSettings {
  checkKeys('settings', settings, SETTINGS);
  const given = { ...CONNECTION_DEFAULTS, ...withoutUndefined(settings) };
  return {
    connection: checkConnection(settings.connection),
    name: checkName('name', given.name).replaceAll(' ', '_'), // CLIENT SETNAME refuses spaces
    connectTimeoutMs: checkDuration('connectTimeoutMs', given.connectTimeoutMs, TIMERS),
    commandTimeoutMs: checkDuration('commandTimeoutMs', given.commandTimeoutMs, TIMERS),
    blockMs: checkDuration('blockMs', given.blockMs, TIMERS),
    logger: settings.logger === undefined ? undefined : checkLogger('logger', settings.logger),
  };
}

/** Checks that exactly one way is given, and that way; throws `InvalidOptionError`. */
export function checkConnection(connection: ConnectionOptions): CheckedConnection {
  const given: ConnectionOptions = checkKeys('connection', connection, WAYS);
  const [way, ...more] = WAYS.filter((name) => given[name] !== undefined);
  if (way === undefined || more.length > 0) {
    const found = way === undefined ? 'none (or undefined)' : [way, ...more].join(', ');
    throw new InvalidOptionError(
      'connection',
      `expected exactly one of ${WAYS.join(', ')}; got ${found}`,
    );
  }
  return CHECKS[way](given);
}

const CHECKS: { readonly [Key in Way]: (given: ConnectionOptions) => CheckedConnection } = {
  url: ({ url }) => ({ kind: 'single', options: parseConnectionUrl('connection.url', url) }),
  options: ({ options }) => ({ kind: 'single', options: checkSingle(options) }),
  cluster: ({ cluster }) => checkCluster(cluster),
  sentinels: ({ sentinels }) => ({ kind: 'single', options: checkSentinels(sentinels) }),
  client: ({ client }) => ({ kind: 'client', client: checkClient(client) }),
};

function checkSingle(value: unknown): RedisOptions {
  const options: RedisOptions = checkRecord('connection.options', value);
  // ioredis would go to localhost without a word
  if (!options.path && !options.sentinels && !options.Connector) {
    checkName('connection.options.host', options.host);
  }
  checkNumbers('connection.options', options);
  return { ...options };
}

/** A number that was read from a missing setting is NaN: the client would go to another place. */
function checkNumbers(at: string, { port, db }: { port?: unknown; db?: unknown }): void {
  if (port !== undefined) checkInteger(`${at}.port`, Number(port), PORTS);
  if (db !== undefined) checkInteger(`${at}.db`, db, { min: 0 });
}

function checkCluster(value: unknown): CheckedConnection {
  const { nodes, options } = checkKeys('connection.cluster', value, ['nodes', 'options']);
  const list = checkFilled('connection.cluster.nodes', nodes);
  for (const node of list) {
    const host = typeof node === 'string' ? node : (node as { host?: unknown } | null)?.host;
    checkName('connection.cluster.nodes', host);
    if (typeof node !== 'string') checkNumbers('connection.cluster.nodes', node as ClusterNodeLike);
  }
  return {
    kind: 'cluster',
    nodes: list as readonly ClusterNode[],
    options: options === undefined ? {} : checkRecord('connection.cluster.options', options),
  };
}

function checkSentinels(value: unknown): RedisOptions {
  const known = ['sentinels', 'name', 'options'];
  const { sentinels, name, options } = checkKeys('connection.sentinels', value, known);
  const list = checkFilled('connection.sentinels.sentinels', sentinels).map((entry) => {
    const { host, port } = checkRecord('connection.sentinels.sentinels', entry);
    return {
      host: checkName('connection.sentinels.sentinels.host', host),
      port: checkInteger('connection.sentinels.sentinels.port', port, PORTS),
    };
  });
  return {
    ...(options === undefined ? {} : checkRecord('connection.sentinels.options', options)),
    sentinels: list,
    name: checkName('connection.sentinels.name', name),
  };
}

interface ClusterNodeLike {
  readonly port?: unknown;
}

function checkClient(value: unknown): Redis | Cluster {
  const client = value as Partial<Record<'duplicate' | 'quit' | 'status', unknown>> | null;
  checkFunction('connection.client', client?.duplicate);
  checkFunction('connection.client', client?.quit);
  checkOneOf('connection.client', typeof client?.status, ['string']);
  return value as Redis | Cluster;
}

/** @throws InvalidOptionError when it lacks one of the methods that are called */
export function checkLogger(option: string, logger: HandlerLogger): HandlerLogger {
  if (typeof logger !== 'object' || logger === null) {
    throw new InvalidOptionError(option, 'expected a logger with log, error and warn');
  }
  for (const level of ['log', 'error', 'warn'] as const) {
    checkFunction<unknown>(`${option}.${level}`, Reflect.get(logger, level));
  }
  return logger;
}

function checkFilled(option: string, value: unknown): readonly unknown[] {
  if (Array.isArray(value) && value.length > 0) return value;
  throw new InvalidOptionError(option, 'expected a list that is not empty');
}
