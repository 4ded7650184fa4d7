import { TimestampError } from '../errors/index.js';
import type { BrokerCore } from './broker.core.js';
import { checkId, INSERTABLE } from './ids.js';

/** The ids of a namespace: its high-water mark, which never falls, and ids without a message. */
export class MessageIds {
  /** Made by `QueueBroker`. */
  constructor(private readonly core: BrokerCore) {}

  /** The high-water mark as this broker last saw it, by its own writes too; 0 at first. */
  async last(): Promise<bigint> {
    this.core.assertOpen();
    return this.core.lastId();
  }

  /** The high-water mark, asked for now. */
  async refresh(): Promise<bigint> {
    this.core.assertOpen();
    return this.core.refreshLastId();
  }

  /**
   * Raises the high-water mark to an id, never lowers it; always asks the server, and answers what
   * it is after that. Below 2^63 - 1, so that an id is left for the next message.
   *
   * @throws TimestampError with `outcomeAmbiguous` when that is not known
   */
  async advance(id: bigint | string): Promise<bigint> {
    const wanted = checkId('id', id, { min: 0n, max: INSERTABLE.max });
    this.core.assertOpen();
    try {
      return this.core.sawId(await this.core.backend.advanceLastId(wanted));
    } catch (error) {
      if ((error as { outcomeAmbiguous?: unknown }).outcomeAmbiguous === true) throw unknown(error);
      throw error;
    }
  }

  /** A new id without a message; the high-water mark is raised to it. @throws TimestampError */
  async generate(): Promise<bigint> {
    this.core.assertOpen();
    return this.core.sawId(await this.core.backend.generateId());
  }
}

function unknown(cause: unknown): TimestampError {
  const message = 'whether the high-water mark was raised is not known';
  return new TimestampError(message, { cause, retryable: true, outcomeAmbiguous: true });
}
