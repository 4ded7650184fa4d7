import { tagOf } from './cluster-node.js';
import { DoorbellLine, type DoorbellHost } from './doorbell-line.js';
import { Wait } from './doorbell-wait.js';

/** What to wait for. */
export interface DoorbellRequest {
  /** Lists of one queue; an element in any of them is a ring. */
  readonly keys: readonly string[];
  /** Milliseconds until the wait is over anyway; held within 1 and the connection's `blockMs`. */
  readonly timeoutMs: number;
  /** Ends the wait. */
  readonly signal?: AbortSignal;
}

/**
 * Wakes idle loops: a ring is an element in a capped list, taken by a blocking read.
 *
 * A ring only shortens a wait, it is never the truth: whoever waited looks at the queue again.
 * One read on one connection serves all waits of a process, whatever their queues; on a cluster
 * each queue has a connection of its own, since a cluster's client has one socket a node.
 */
export class Doorbell {
  readonly #lines = new Map<string, DoorbellLine>();
  readonly #host: DoorbellHost;
  #closing: Promise<unknown> | undefined;

  /** Made by the connection; `host` is what it lends. */
  constructor(host: DoorbellHost) {
    this.#host = host;
  }

  /**
   * Resolves when one of the keys rang, after the time, when the signal aborts, at `close`, or,
   * after a small growing pause, when the link failed. Never rejects.
   */
  wait(request: DoorbellRequest): Promise<void> {
    const { keys, signal } = request;
    if (signal?.aborted || this.#closing !== undefined) return Promise.resolve();
    const timeoutMs = Math.min(Math.max(Math.ceil(request.timeoutMs) || 1, 1), this.#host.blockMs);
    const wait = new Wait(keys, timeoutMs, signal);
    this.#lineOf(keys[0]).add(wait);
    return wait.over;
  }

  /** Ends all waits and closes the connections; a read that is just ringing is handed back. */
  async close(): Promise<void> {
    this.#closing ??= Promise.all([...this.#lines.values()].map((line) => line.close()));
    await this.#closing;
  }

  #lineOf(key: string): DoorbellLine {
    const name = this.#host.isCluster ? tagOf(key) : '';
    let line = this.#lines.get(name);
    if (line === undefined) this.#lines.set(name, (line = new DoorbellLine(this.#host)));
    return line;
  }
}
