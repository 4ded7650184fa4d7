import * as scripts from '../../scripts/redis.mjs';

/** How to start a server of a test's own. */
export interface ServerOptions {
  readonly port?: number;
  readonly args?: readonly string[];
  /** Writes every change to the append-only file at once, so that it survives `kill`. */
  readonly appendonly?: boolean;
  readonly dir?: string;
  readonly keepDir?: boolean;
}

/** A server of a test's own; it ends with the test process at the latest. */
export interface TestServer {
  readonly url: string;
  readonly port: number;
  readonly dir: string;
  readonly pid: number;
  /** Ends it in an orderly way. */
  stop(options?: { readonly keepDir?: boolean }): Promise<void>;
  /** SIGKILL; the folder stays. */
  kill(): Promise<void>;
  /** Starts it again on the same port and in the same folder; the answer replaces this one. */
  restart(): Promise<TestServer>;
}

/** A cluster of masters of a test's own. */
export interface TestCluster {
  readonly nodes: readonly { readonly host: string; readonly port: number }[];
  readonly servers: readonly TestServer[];
  stop(): Promise<void>;
}

/** Starts a server beside the shared one. */
export const startServer = scripts.startServer as (options?: ServerOptions) => Promise<TestServer>;

/** Starts a cluster of three masters; takes some 2 s. */
export const startCluster = scripts.startCluster as (options?: {
  readonly masters?: number;
  readonly args?: readonly string[];
}) => Promise<TestCluster>;

/** A port where nothing listens now. */
export const freePort = scripts.freePort as () => Promise<number>;
