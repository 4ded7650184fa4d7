import {
  BlockingLink,
  UnansweredError,
  type BlockedRead,
  type BlockingCommand,
  type BlockingHost,
} from './blocking-link.js';
import { pause } from './retry-budget.js';

const FIRST_PAUSE_MS = 25;
const LONGEST_PAUSE_MS = 1_000;

/**
 * Blocking reads that bring work themselves (XREADGROUP), one at a time, on a connection of their
 * own beside the doorbell's.
 */
export class BlockingReader {
  readonly #link: BlockingLink;
  #read: BlockedRead | undefined;
  #failures = 0;
  #isFailing = false;
  #closing: Promise<void> | undefined;

  /** Made by the connection; `host` is what it lends, `onClosed` lets it forget this reader. */
  constructor(
    host: BlockingHost,
    private readonly onClosed: () => void,
  ) {
    this.#link = new BlockingLink(host);
  }

  /** Whether the last read found no connection, lost it, or was not answered. */
  get isFailing(): boolean {
    return this.#isFailing;
  }

  /**
   * The reply of the command; `null` when its time is over, when the signal ends it, after `close`,
   * or, after a growing pause of at most a second, when it failed. Never rejects.
   *
   * Aborting the signal has the server end the read, so what it was just handing over is answered
   * and not lost. Reads do not overlap: the caller waits for one before the next.
   */
  async read(command: BlockingCommand, signal: AbortSignal): Promise<unknown> {
    if (signal.aborted || this.#closing !== undefined) return null;
    try {
      const client = this.#link.client ?? (await this.#link.ready(signal));
      if (signal.aborted) return null;
      const answer = await this.#wait(this.#link.start(client, command), signal);
      this.#failures = 0;
      this.#isFailing = false;
      return answer;
    } catch (error) {
      if (!signal.aborted && this.#closing === undefined) await this.#rest(error, signal);
      return null;
    }
  }

  /** Ends the read and closes the connection; never hangs. */
  close(): Promise<void> {
    return (this.#closing ??= this.#link.close(this.#read).then(this.onClosed));
  }

  async #wait(read: BlockedRead, signal: AbortSignal): Promise<unknown> {
    this.#read = read;
    signal.addEventListener('abort', read.end, { once: true });
    try {
      return await read.reply;
    } finally {
      signal.removeEventListener('abort', read.end);
      this.#read = undefined;
    }
  }

  /** A dead socket took its time already. */
  async #rest(error: unknown, signal: AbortSignal): Promise<void> {
    this.#isFailing = (error as Error).name !== 'ReplyError';
    const ms = Math.min(FIRST_PAUSE_MS * 2 ** this.#failures++, LONGEST_PAUSE_MS);
    if (!(error instanceof UnansweredError)) await pause(ms, signal);
  }
}
