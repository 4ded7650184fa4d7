import { CommandTimeoutError } from '../errors/index.js';
import { newId } from './ids.js';

/** Names one call of a holder, the same however often it is sent. */
export interface CallName {
  readonly holder: string;
  /** Calls that are open at a time have different ones; the server keeps the last answer of each. */
  readonly seat: number;
  /** Higher than those of all earlier calls of the holder. */
  readonly call: number;
}

/**
 * The calls that a holder has open, so that the server knows one that is sent again since its reply
 * was lost: it answers as it did, and neither claims nor settles twice.
 */
export class OpenCalls {
  private readonly holder = newId();
  private readonly freeSeats: number[] = [];
  private seats = 0;
  private calls = 0;

  /**
   * Makes one call under a name of its own, and once more, over a new connection, where no answer
   * came in time.
   */
  async run<Reply>(send: (name: CallName) => Promise<Reply>): Promise<Reply> {
    const seat = this.freeSeats.pop() ?? this.seats++;
    const name = { holder: this.holder, seat, call: this.calls++ };
    try {
      return await send(name);
    } catch (error) {
      if (!(error instanceof CommandTimeoutError)) throw error;
      return await send(name).catch(() => Promise.reject(error)); // the first one may have happened
    } finally {
      this.freeSeats.push(seat);
    }
  }
}
