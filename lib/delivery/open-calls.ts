import { newId } from './ids.js';

/** Names one call of a holder, the same however often it is sent. */
export interface CallName {
  /** The holder and its place for the call; the server keeps what the last call there answered. */
  readonly place: string;
  /** Differs from that of every other call of the holder. */
  readonly call: number;
}

/**
 * The calls that a holder has open, so that the server knows one that is sent again since its reply
 * was lost: it answers as it did, and neither claims nor settles twice.
 */
export class OpenCalls {
  private readonly holder = newId();
  private readonly freePlaces: number[] = [];
  private places = 0;
  private calls = 0;

  /** Runs one call under a name of its own. */
  async name<Reply>(run: (name: CallName) => Promise<Reply>): Promise<Reply> {
    const place = this.freePlaces.pop() ?? this.places++;
    try {
      return await run({ place: `${this.holder}:${place}`, call: this.calls++ });
    } finally {
      this.freePlaces.push(place);
    }
  }
}
