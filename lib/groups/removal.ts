import type { KeySpace } from '../redis/index.js';
import type { GroupsCore } from './groups.core.js';
import { removeScript } from './groups.scripts.js';

/** Entries that one call looks at. */
const PAGE = 250;

/** What is to be removed: a message by its id, of a group by its encoded name. */
export interface RemovalTarget {
  readonly group: string;
  readonly id: string;
}

/** Walks a group from its tail until the message is found; answers whether it was removed. */
export async function removeMessage(
  core: GroupsCore,
  space: KeySpace,
  target: RemovalTarget,
): Promise<boolean> {
  let skip = 0;
  while (skip >= 0) {
    skip = await removeScript.run(core.connection, space, { ...target, skip, page: PAGE });
  }
  return skip === -2;
}
