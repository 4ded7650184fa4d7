import { newId } from './ids.js';

/** Names one call of a holder, the same however often it is sent. */
export interface CallName {
  readonly holder: string;
  /** Calls that are open at a time have different ones; the server keeps the last answer of each. */
  readonly seat: number;
  /** Differs from that of every other call of the holder. */
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

  /** Runs one call under a name of its own. */
  async name<Reply>(run: (name: CallName) => Promise<Reply>): Promise<Reply> {
    const seat = this.freeSeats.pop() ?? this.seats++;
    try {
      return await run({ holder: this.holder, seat, call: this.calls++ });
    } finally {
      this.freeSeats.push(seat);
    }
  }
}
