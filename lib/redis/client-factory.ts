import { Cluster, Redis, type ClusterOptions, type RedisOptions } from 'ioredis';
import type { RedisClient } from './client.js';
import type { CheckedConnection, CheckedSettings } from './connection.options.js';

/** What a connection is for; part of its name on the server. */
export type ConnectionRole = 'commands' | 'doorbell' | 'reads' | 'subscriber';

/** A client with our own safe settings, not connected yet. */
export function createClient(settings: CheckedSettings, role: ConnectionRole): RedisClient {
  const { connection } = settings;
  const own = singleSettings(settings, role);
  return createFrom(connection, own) as unknown as RedisClient;
}

/** Whether the way leads to a Redis Cluster. */
export function leadsToCluster(connection: CheckedConnection): boolean {
  return (
    connection.kind === 'cluster' ||
    (connection.kind === 'client' && connection.client.isCluster === true)
  );
}

/** The number of the database that the way leads to; a cluster has only 0. */
export function databaseOf(connection: CheckedConnection): number {
  if (leadsToCluster(connection)) return 0;
  if (connection.kind === 'single') return connection.options.db ?? 0;
  return connection.kind === 'client' ? ((connection.client as Redis).options.db ?? 0) : 0;
}

/** Names the target in messages; never a user name or a password. */
export function describeTarget(connection: CheckedConnection): string {
  if (connection.kind === 'cluster')
    return `the cluster at ${connection.nodes.map(nodeName).join(', ')}`;
  if (connection.kind === 'single') return singleName(connection.options);
  const { client } = connection;
  return isCluster(client) ? 'the cluster of the client' : singleName(client.options);
}

function createFrom(connection: CheckedConnection, own: RedisOptions): Redis | Cluster {
  switch (connection.kind) {
    case 'single':
      return new Redis({ ...connection.options, ...own });
    case 'cluster':
      return new Cluster([...connection.nodes], clusterSettings(connection.options, own));
    case 'client': {
      const { client } = connection;
      return isCluster(client)
        ? client.duplicate([], clusterSettings(client.options, own))
        : client.duplicate(own);
    }
  }
}

/** The options of ioredis 6; those that ioredis 5 does not know do nothing there. */
type OwnOptions = RedisOptions & { readonly protocol: 2; readonly replyMapping: 'legacy' };

/**
 * Reconnecting, queueing and resending are ours (see Link and the retry rule): the client library
 * would resend a write whose reply was lost, and its timers would keep a process alive.
 */
function singleSettings(settings: CheckedSettings, role: ConnectionRole): OwnOptions {
  return {
    lazyConnect: true,
    enableOfflineQueue: false,
    enableReadyCheck: false,
    enableAutoPipelining: false,
    autoResubscribe: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: null,
    retryStrategy: () => null,
    sentinelRetryStrategy: () => null,
    // a demoted master: drop the connection, the next one finds the new master
    reconnectOnError: (error) => error.message.startsWith('READONLY'),
    commandTimeout: undefined,
    blockingTimeout: undefined,
    socketTimeout: undefined,
    connectTimeout: settings.connectTimeoutMs,
    connectionName: `nest-redis-queue:${settings.name}:${role}`,
    protocol: 2, // replies of the same shape from every server, and a quarter more calls a second
    replyMapping: 'legacy',
    stringNumbers: false,
    readOnly: false,
    monitor: false,
    scripts: undefined,
  };
}

/** Failover and redirection stay the client's work as far as nothing is sent twice for it. */
function clusterSettings(given: ClusterOptions, own: RedisOptions): ClusterOptions {
  return {
    ...given,
    lazyConnect: true,
    enableOfflineQueue: true, // without it a second command to a node that just connects is refused
    enableAutoPipelining: false,
    scaleReads: 'master',
    clusterRetryStrategy: () => null,
    clusterNodeRetryStrategy: null,
    retryDelayOnFailover: 0, // resends what was in flight
    retryDelayOnClusterDown: 0, // the retry rule does it, with a limit
    scripts: undefined,
    redisOptions: { ...given.redisOptions, ...own },
  };
}

function isCluster(client: Redis | Cluster): client is Cluster {
  return client.isCluster === true;
}

function nodeName(node: unknown): string {
  if (typeof node === 'string') return node.replace(/^.*@/, '');
  const { host, port } = node as { host?: string; port?: number };
  return `${host}:${port ?? 6379}`;
}

function singleName(options: RedisOptions): string {
  if (options.sentinels?.length) return `the master ${options.name} of the sentinels`;
  return options.path ?? `${options.host ?? 'localhost'}:${options.port ?? 6379}`;
}
