import { Cluster } from 'ioredis';
import type { ConnectionOptions } from '../../lib/redis/index.js';
import { startCluster, type TestCluster } from '../support/redis-server.js';

/** A cluster for the tests of one file, and the ways to reach it: by its nodes, and by a client. */
export function useCluster(): readonly (readonly [string, () => ConnectionOptions])[] {
  let cluster: TestCluster;
  let client: Cluster;

  beforeAll(async () => {
    cluster = await startCluster();
    client = new Cluster([...cluster.nodes], { keyPrefix: 'app:' });
  }, 60_000);

  afterAll(async () => {
    client.disconnect();
    await cluster.stop();
  });

  return [
    ['nodes', () => ({ cluster: { nodes: cluster.nodes } })],
    ['a client with a key prefix', () => ({ client })],
  ];
}
