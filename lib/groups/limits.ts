import type { KeySpace } from '../redis/index.js';
import { checkRate } from './claim-arguments.js';
import type { RateLimit } from './group-message.js';
import type { GroupsCore } from './groups.core.js';
import { limitScript, unparkScript } from './groups.scripts.js';
import { encodeGroup } from './new-message.js';

/** Waiting groups that one call looks at anew. */
const UNPARK_PAGE = 100;

/** The rate limits of one topic; each method throws `InvalidOptionError` naming the option. */
export class GroupLimits {
  constructor(
    private readonly core: GroupsCore,
    private readonly space: KeySpace,
  ) {}

  /** Sets the limit of one group, or takes it away. */
  async set(group: string, rate: RateLimit | null): Promise<void> {
    const args = { group: encodeGroup(group), ...checkRate(rate) };
    await limitScript.run(this.core.connection, this.space, args);
  }

  /** Sets the limit of every group without its own, then looks anew at those that wait for it. */
  async setEach(rate: RateLimit | null): Promise<void> {
    const args = { group: '', ...checkRate(rate) };
    await limitScript.run(this.core.connection, this.space, args);
    let cursor = '0';
    do {
      const page = { cursor, page: UNPARK_PAGE };
      cursor = await unparkScript.run(this.core.connection, this.space, page);
    } while (cursor !== '0');
  }
}
