import { asList, asText, type BlockingReader } from '../redis/index.js';
import { RingListener } from './ring-listener.js';
import type { StreamLane } from './stream.lane.js';
import type { StreamsCore } from './streams.core.js';

/** Who waits for what. */
export interface IdleWaitParts {
  readonly core: StreamsCore;
  readonly group: string;
  readonly consumer: string;
  readonly lanes: readonly StreamLane[];
}

/** One wait. */
export interface WaitRequest {
  /** How many entries may come. */
  readonly count: number;
  /** Milliseconds until something is due. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

interface Read {
  readonly reader: BlockingReader;
  readonly lanes: readonly StreamLane[];
}

/**
 * The wait of a consumer with nothing to do: a blocking read that brings new entries itself, a
 * bell for what no read can bring (earlier due times, entries given back), and a timer, since an
 * idle server looks at the time of blocked reads ten times a second only.
 */
export class IdleWait {
  private readonly reads: readonly Read[];
  private readonly listener: RingListener;

  constructor(private readonly parts: IdleWaitParts) {
    const { core, lanes } = parts;
    // a cluster's queues may be on different nodes
    const shares = core.connection.isCluster ? lanes.map((lane) => [lane]) : [lanes];
    this.reads = shares.map((share) => ({ reader: core.connection.openReader(), lanes: share }));
    this.listener = new RingListener(core.connection.doorbell, lanes);
  }

  /** Whether blocking reads fail at the moment. */
  get isFailing(): boolean {
    return this.reads.some(({ reader }) => reader.isFailing);
  }

  /** Resolves when entries arrived, something rang or is due, or a block time is over. */
  async wait({ count, timeoutMs, signal }: WaitRequest): Promise<void> {
    const over = new AbortController();
    const end = () => over.abort();
    const { blockMs } = this.parts.core.settings;
    const timer = timeoutMs < blockMs ? setTimeout(end, timeoutMs) : undefined;
    signal.addEventListener('abort', end, { once: true });
    this.listener.listen(end);
    if (signal.aborted) end();
    await Promise.all(this.reads.map((read) => this.read(read, count, over)));
    this.listener.rest();
    signal.removeEventListener('abort', end);
    clearTimeout(timer);
  }

  /** Ends the waits and closes the connections. */
  async close(): Promise<void> {
    this.listener.close();
    await Promise.all(this.reads.map(({ reader }) => reader.close()));
  }

  /** The first read that ends, ends the others. */
  private async read({ reader, lanes }: Read, count: number, over: AbortController): Promise<void> {
    const { group, consumer, core } = this.parts;
    const { blockMs } = core.settings;
    const keys = lanes.map(({ streamKey }) => streamKey);
    const share = Math.max(1, Math.floor(count / lanes.length)); // COUNT is for each stream
    const ids = keys.map(() => '>');
    const args = ['GROUP', group, consumer, 'COUNT', share, 'BLOCK', blockMs, 'STREAMS'];
    const command = { name: 'xreadgroup', args: [...args, ...keys, ...ids], key: keys[0] };
    const answer = await reader.read({ ...command, ms: blockMs }, over.signal);
    if (answer !== null) this.hand(answer, lanes);
    over.abort();
  }

  private hand(answer: unknown, lanes: readonly StreamLane[]): void {
    for (const stream of asList(answer)) {
      const [key, entries] = asList(stream);
      const name = asText(key);
      // a client's key prefix stands before our key
      lanes.find(({ streamKey }) => name.endsWith(streamKey))?.arrive(entries);
    }
  }
}
