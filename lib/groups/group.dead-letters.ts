import type { DeadLetters } from '../contract/index.js';
import { checkPage } from '../errors/index.js';
import { checkName, type KeySpace } from '../redis/index.js';
import type { GroupDeadLetter } from './group-message.js';
import type { GroupsCore } from './groups.core.js';
import { dropScript, lettersScript, redriveScript } from './groups.scripts.js';
import { readDeadLetter } from './message-record.js';

/** The dead letters of one topic. */
export class GroupDeadLetters implements DeadLetters {
  constructor(
    private readonly core: GroupsCore,
    private readonly space: KeySpace,
  ) {}

  /** How many there are. */
  async count(): Promise<number> {
    const { total } = await this.page(0, 0);
    return total;
  }

  /**
   * Newest first; `limit` 1 to 500 (default 100), `offset` 0 or more.
   *
   * @throws InvalidOptionError naming the option
   */
  async list(
    page: { readonly limit?: number; readonly offset?: number } = {},
  ): Promise<GroupDeadLetter[]> {
    const { limit, offset } = checkPage(page);
    const { rows } = await this.page(offset, limit);
    return rows.map((row) => readDeadLetter(row, this.core.settings.codec));
  }

  /** Appends it to the tail of its group, with no attempt spent; `false` when there is none. */
  async redrive(id: string): Promise<boolean> {
    const { newGroupsFirst } = this.core.settings;
    const args = { id: checkName('id', id), newGroupsFirst };
    return redriveScript.run(this.core.connection, this.space, args);
  }

  /** Deletes it for good; `false` when there is no such dead letter. */
  async drop(id: string): Promise<boolean> {
    return dropScript.run(this.core.connection, this.space, { id: checkName('id', id) });
  }

  private page(offset: number, limit: number) {
    return lettersScript.run(this.core.connection, this.space, { offset, limit });
  }
}
