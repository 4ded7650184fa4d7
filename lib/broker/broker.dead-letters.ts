import type { DeadLetter, DeadLetters } from '../contract/index.js';
import { checkInteger, checkKeys } from '../errors/index.js';
import type { BrokerCore } from './broker.core.js';
import { formatId } from './ids.js';

const ID = /^[0-9]{19}$/;
const NO_HEADERS = Object.freeze({});

/** The messages of a queue that its processors gave up. */
export class BrokerDeadLetters implements DeadLetters {
  constructor(
    private readonly core: BrokerCore,
    private readonly queue: string,
  ) {}

  async count(): Promise<number> {
    return (await this.core.backend.stats(this.queue)).dead;
  }

  async list(
    page: { readonly limit?: number; readonly offset?: number } = {},
  ): Promise<readonly DeadLetter[]> {
    checkKeys('page', page, ['limit', 'offset']);
    const { limit = 100, offset = 0 } = page;
    const letters = await this.core.backend.holds.deadLetters(this.queue, {
      limit: checkInteger('limit', limit, { min: 1, max: 500 }),
      offset: checkInteger('offset', offset, { min: 0, max: 1e9 }),
    });
    return letters.map(({ id, body, ...rest }) => ({
      ...rest,
      id: formatId(id),
      payload: this.core.message<unknown>(this.queue, { id, body }).body,
      headers: NO_HEADERS,
    }));
  }

  redrive(id: string): Promise<boolean> {
    return this.end('redrive', id);
  }

  drop(id: string): Promise<boolean> {
    return this.end('drop', id);
  }

  private async end(verb: 'redrive' | 'drop', id: string): Promise<boolean> {
    return ID.test(id) && this.core.backend.holds.endDeadLetter(verb, this.queue, BigInt(id));
  }
}
