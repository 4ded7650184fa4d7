import type { HandlerLogger } from '../contract/index.js';
import { ClosedError, UnsupportedServerError } from '../errors/index.js';
import { StreamConsumed } from './consumed.js';
import type { StreamDelivery } from './stream.delivery.js';
import type { StreamSource } from './stream.source.js';

const FIRST_PAUSE_MS = 25;

/** Asks for deliveries until there are some, whatever becomes of the server meanwhile. */
export class Deliverer {
  /** Whether the connection was closed under it: nothing comes any more. */
  isClosed = false;
  private failures = 0;

  constructor(
    private readonly source: StreamSource,
    private readonly logger: HandlerLogger,
    private readonly longestPauseMs: number,
  ) {}

  /**
   * The next deliveries, at most `limit`; none once the signal has aborted.
   *
   * @throws UnsupportedServerError
   */
  async next(limit: number, signal: AbortSignal): Promise<StreamConsumed[]> {
    while (!signal.aborted && !this.isClosed) {
      const consumed = (await this.claim(limit, signal))?.map(toConsumed) ?? [];
      const readable = consumed.filter((one) => one !== null);
      if (readable.length > 0) return readable;
    }
    return [];
  }

  /** Gives back what nobody was handed; where that fails its lease brings it back. */
  async giveBack(ahead: readonly StreamConsumed[]): Promise<void> {
    await Promise.allSettled([...ahead.map((one) => one.release()), this.source.giveBackSpare()]);
  }

  private async claim(
    limit: number,
    signal: AbortSignal,
  ): Promise<readonly StreamDelivery[] | null> {
    try {
      const deliveries = await this.source.claim({ limit, signal });
      if (this.failures > 0) this.logger.log('streams: deliveries go on');
      this.failures = 0;
      return deliveries;
    } catch (error) {
      if (error instanceof UnsupportedServerError) throw error;
      if (error instanceof ClosedError) this.isClosed = true;
      else await this.rest(error as Error, signal);
      return null;
    }
  }

  /** One line a change of state, and pauses that grow up to one block time. */
  private async rest(error: Error, signal: AbortSignal): Promise<void> {
    if (this.failures === 0)
      this.logger.warn(`streams: no deliveries, trying on: ${error.message}`);
    const ms = Math.min(FIRST_PAUSE_MS * 2 ** this.failures++, this.longestPauseMs);
    await new Promise<void>((resolve) => {
      const end = () => (clearTimeout(timer), signal.removeEventListener('abort', end), resolve());
      const timer = setTimeout(end, ms);
      signal.addEventListener('abort', end);
      if (signal.aborted) end();
    });
  }
}

/** An entry without a body was not written by a producer: it is a dead letter, and the next comes. */
function toConsumed(delivery: StreamDelivery): StreamConsumed | null {
  if (delivery.entry.body !== null) return new StreamConsumed(delivery);
  const error = delivery.unreadable ?? new Error('the entry has no body');
  delivery.nack({ error, retryInMs: null }).catch(() => undefined); // else its lease brings it back
  return null;
}
