import type { CallOptions, KeySpace } from '../redis/index.js';
import type { StreamsCore } from './streams.core.js';
import { joinScript } from './streams.scripts.js';

/** A group and where it begins. */
export interface GroupStart {
  readonly group: string;
  readonly from: 'start' | 'now';
  /** How the call is made. */
  readonly options?: CallOptions;
}

/** Makes the group where it is missing; answers whether it was. */
export async function joinGroup(
  core: StreamsCore,
  space: KeySpace,
  { group, from, options }: GroupStart,
): Promise<boolean> {
  const args = { group, from: from === 'now' ? '$' : '0' };
  return (await joinScript.run(core.connection, space, args, options)) === 1;
}
