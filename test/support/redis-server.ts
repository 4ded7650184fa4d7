/** Servers of a test's own, beside the shared one; they end with the test process at the latest. */
export {
  freePort,
  startCluster,
  startServer,
  type Server as TestServer,
  type ServerCluster as TestCluster,
  type ServerOptions,
} from '../../scripts/redis.mjs';
