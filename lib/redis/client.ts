import type { ScriptArgument } from './codecs.js';

/**
 * The part of an ioredis client that the library uses, on one node or on a cluster.
 *
 * By shape and not by class: an application may hold another copy or version of ioredis.
 */
export interface RedisClient {
  readonly status: string;
  readonly isCluster?: boolean;
  readonly options: { readonly keyPrefix?: string; readonly host?: string; readonly port?: number };
  /** The socket, on one node, once there is one. */
  readonly stream?: { unref(): unknown; destroy(): unknown };
  connect(): Promise<unknown>;
  disconnect(): void;
  quit(): Promise<unknown>;
  on(event: string, listener: (argument: never) => void): unknown;
  evalshaBuffer(...args: ScriptArguments): Promise<unknown>;
  evalBuffer(...args: ScriptArguments): Promise<unknown>;
  callBuffer(name: string, args: readonly ScriptArgument[]): Promise<unknown>;
  subscribe(channel: string): Promise<unknown>;
  unsubscribe(channel: string): Promise<unknown>;
}

/** The further part of a cluster's client. */
export interface ClusterClient extends RedisClient {
  /** For each slot the nodes that serve it, `host:port`, the master first. */
  readonly slots: readonly (readonly string[] | undefined)[];
  nodes(role: 'master' | 'all'): readonly RedisClient[];
}

type ScriptArguments = [
  script: string,
  numberOfKeys: number,
  keys: readonly string[],
  args: readonly ScriptArgument[],
];

/** Whether the client talks to a cluster. */
export function isClusterClient(client: RedisClient): client is ClusterClient {
  return client.isCluster === true;
}

/** Closes the client now: what is in flight fails, and a dead peer is not waited for. */
export function destroyClient(client: RedisClient): void {
  if (client.status === 'end') return; // ioredis would start a timer that nothing stops
  const sockets = isClusterClient(client) ? client.nodes('all') : [client];
  client.disconnect();
  for (const { stream } of sockets) stream?.destroy();
}
