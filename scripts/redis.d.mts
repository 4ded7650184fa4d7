/** How to start a server. */
export interface ServerOptions {
  readonly port?: number;
  readonly args?: readonly string[];
  /** Writes every change to the append-only file at once, so that it survives `kill`. */
  readonly appendonly?: boolean;
  readonly dir?: string;
  readonly keepDir?: boolean;
}

/** A server that ends with the process that started it at the latest. */
export interface Server {
  readonly url: string;
  readonly port: number;
  readonly dir: string;
  readonly pid: number;
  readonly version: string;
  readonly from: string;
  /** Ends it in an orderly way. */
  stop(options?: { readonly keepDir?: boolean }): Promise<void>;
  /** SIGKILL; the folder stays. */
  kill(): Promise<void>;
  /** Starts it again on the same port and in the same folder; the answer replaces this one. */
  restart(): Promise<Server>;
}

/** A cluster; `nodes` and `servers` are its masters. */
export interface ServerCluster {
  readonly nodes: readonly { readonly host: string; readonly port: number }[];
  readonly servers: readonly Server[];
  /** The first one replicates the first master, and so on. */
  readonly replicas: readonly Server[];
  stop(): Promise<void>;
}

/** The program that `startServer` runs. */
export interface ServerProgram {
  readonly bin: string;
  readonly env: Readonly<Record<string, string>>;
  readonly from: string;
  readonly version: string;
}

export function findRedis(log?: (line: string) => void): Promise<ServerProgram>;
export function freePort(): Promise<number>;
/** Starts a server, whatever REDIS_URL says. */
export function startServer(options?: ServerOptions): Promise<Server>;
/** The server that REDIS_URL names, or, with options or without it, a new one. */
export function startRedis(
  options?: ServerOptions,
): Promise<Pick<Server, 'url' | 'version' | 'from' | 'stop'>>;
/** Starts `masters` nodes (default 3) that share the slots, and replicas; takes some 2 s. */
export function startCluster(options?: {
  readonly masters?: number;
  /** At most one a master. @default 0 */
  readonly replicas?: number;
  readonly args?: readonly string[];
}): Promise<ServerCluster>;
