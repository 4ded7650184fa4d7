import type { Doorbell } from '../redis/index.js';
import type { StreamLane } from './stream.lane.js';

/** A consumer that waits again so soon keeps its place at the bell, in milliseconds. */
const REST_MS = 50;

/**
 * Listens to the bells of a consumer's queues while it is idle.
 *
 * One wait at the doorbell goes on over many block times, since to leave and to come back costs
 * two commands; a consumer that found work leaves a little later. A ring that came when it was no
 * longer idle is passed on to whoever is.
 */
export class RingListener {
  private stopper: AbortController | null = null;
  private resting: NodeJS.Timeout | undefined;
  private onRing: (() => void) | null = null;

  constructor(
    private readonly doorbell: Doorbell,
    private readonly lanes: readonly StreamLane[],
  ) {}

  /** Calls `onRing` when a bell rings, until `rest` or `close`. */
  listen(onRing: () => void): void {
    clearTimeout(this.resting);
    this.onRing = onRing;
    if (this.stopper !== null) return;
    const stopper = new AbortController();
    this.stopper = stopper;
    for (const lane of this.lanes) void this.attend(lane, stopper);
  }

  /** The wait is over; unless the next one begins at once, the bell is left to others. */
  rest(): void {
    this.onRing = null;
    this.resting = setTimeout(() => this.close(), REST_MS).unref();
  }

  close(): void {
    clearTimeout(this.resting);
    this.onRing = null;
    this.stopper?.abort();
    this.stopper = null;
  }

  private async attend(lane: StreamLane, stopper: AbortController): Promise<void> {
    while (!stopper.signal.aborted) {
      const request = { keys: lane.bells, timeoutMs: Infinity, signal: stopper.signal };
      await this.doorbell.wait(request);
      if (stopper.signal.aborted) return;
      lane.takeOverSoon();
      if (this.onRing === null) return this.passOn(lane, stopper);
      this.onRing();
      // the doorbell may be closed for good, and then a wait takes no time
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  }

  private passOn(lane: StreamLane, stopper: AbortController): void {
    if (this.stopper === stopper) this.stopper = null;
    lane.send([], 0).catch(() => undefined); // a ring is a hint; without it others look in time
  }
}
