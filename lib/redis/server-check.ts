import type { HandlerLogger } from '../contract/index.js';
import { UnsupportedServerError } from '../errors/index.js';
import type { Call } from './calls.js';
import { isClusterClient, type RedisClient } from './client.js';
import { asText } from './replies.js';

/** The oldest Redis that has LMOVE, ZADD GT and the rest of what the scripts use. */
const OLDEST: readonly [number, number] = [6, 2];

/**
 * Asks a server once whether the library can work on it: rejects with `UnsupportedServerError`
 * below Redis 6.2, warns when it may evict queues. A refused INFO is no error, and on a cluster
 * neither is a node that does not answer; a broken connection on one node rejects as it came.
 */
export async function checkServer(
  client: RedisClient,
  logger: HandlerLogger | undefined,
): Promise<void> {
  const nodes = isClusterClient(client) ? client.nodes('master') : [client];
  const infos = await Promise.all(
    nodes.map((node) => readInfo(node, nodes.length > 1 || client.isCluster === true)),
  );
  const policy = infos
    .map(checkInfo)
    .find((found) => found !== undefined && found !== 'noeviction');
  if (policy === undefined) return;
  logger?.warn(
    `the Redis server has maxmemory-policy ${policy}: it may delete queues when its memory is full; set noeviction`,
  );
}

/** The check as a call that a connection sends. */
export function serverCheckCall(logger: HandlerLogger | undefined): Call {
  return {
    label: 'INFO',
    key: undefined,
    send: (client) => checkServer(client, logger),
    sendWhole: () => false,
  };
}

/** What one server's INFO says about itself. Valkey says `redis_version:7.2.4` for its 8. */
export function parseInfo(info: string): {
  version: string | undefined;
  policy: string | undefined;
} {
  return {
    version: /^redis_version:(\S+)/m.exec(info)?.[1],
    policy: /^maxmemory_policy:(\S+)/m.exec(info)?.[1],
  };
}

async function readInfo(client: RedisClient, bestEffort: boolean): Promise<string> {
  try {
    return asText(await client.callBuffer('info', []));
  } catch (error) {
    if (bestEffort || (error as Error).name === 'ReplyError') return '';
    throw error;
  }
}

function checkInfo(info: string): string | undefined {
  const { version, policy } = parseInfo(info);
  const [major = 0, minor = 0] = (version ?? '').split('.').map(Number);
  const isOld = major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1]);
  if (version !== undefined && isOld) {
    throw new UnsupportedServerError(
      `the server is Redis ${version}; Redis ${OLDEST.join('.')} or newer (or Valkey) is needed`,
    );
  }
  return policy;
}
