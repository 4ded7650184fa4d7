import type { DeadLetter, DeadLetters } from '../contract/index.js';
import { checkPage } from '../errors/index.js';
import { NO_HEADERS } from '../delivery/index.js';
import type { BrokerCore } from './broker.core.js';
import { checkId, formatId } from './ids.js';

const MAX_OFFSET = 1e9;

/** The messages of a queue that its processors gave up. */
export class BrokerDeadLetters implements DeadLetters {
  /**
   * Made by `BrokerQueue.deadLetters`.
   *
   * @param queue its name, or `@alias`, looked up in every call
   * @param free resolves when the handle is free for a change
   */
  constructor(
    private readonly core: BrokerCore,
    private readonly queue: string,
    private readonly free: () => Promise<void> = () => Promise.resolve(),
  ) {}

  /** How many there are. */
  async count(): Promise<number> {
    this.core.assertOpen();
    return (await this.core.backend.stats(this.queue)).dead;
  }

  /**
   * Newest first; `limit` 1 to 500 (default 100), `offset` 0 or more. A payload that the codec
   * cannot read is the raw text.
   *
   * @throws InvalidOptionError naming the option
   */
  async list(
    page: { readonly limit?: number; readonly offset?: number } = {},
  ): Promise<readonly DeadLetter[]> {
    const checked = checkPage(page, MAX_OFFSET);
    const queue = await this.resolve();
    const letters = await this.core.backend.holds.deadLetters(queue, checked);
    return letters.map(({ id, body, ...rest }) => ({
      ...rest,
      id: formatId(id),
      payload: this.core.message<unknown>(queue, { id, body }).body,
      headers: NO_HEADERS,
    }));
  }

  /**
   * Makes it pending again, at its own place, its attempts counted on; `false` without such one.
   *
   * @throws InvalidOptionError naming `id`; BatchOpenError
   */
  redrive(id: bigint | string): Promise<boolean> {
    return this.end('redrive', id);
  }

  /**
   * Deletes it for good; `false` when there is no such dead letter.
   *
   * @throws InvalidOptionError naming `id`; BatchOpenError
   */
  drop(id: bigint | string): Promise<boolean> {
    return this.end('drop', id);
  }

  private async end(verb: 'redrive' | 'drop', given: bigint | string): Promise<boolean> {
    const id = checkId('id', given);
    await this.free();
    return this.core.backend.holds.endDeadLetter(verb, await this.resolve(), id);
  }

  private async resolve(): Promise<string> {
    this.core.assertOpen();
    return this.core.resolve(this.queue);
  }
}
