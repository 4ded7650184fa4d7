import { checkGroupBatch } from './groups.options.js';
import { checkTierOptions, TIER_DEFAULTS, type TierOptions } from './tiers.js';

/** Settings of a groups processor beside those of every processor. */
export interface GroupsProcessorSettings extends TierOptions {
  /**
   * How many head messages of each group one lease takes, 1 to 100; they are handled strictly one
   * after the other. What makes long groups fast. A batch that lapses comes again as a whole, without
   * those that were acked; messages behind the head count their attempts only from when they are the
   * head. @default the engine's `groupBatch`, 1
   */
  readonly groupBatch?: number;
}

/** The names of these settings. */
export const GROUPS_PROCESSOR_SETTINGS: readonly (keyof GroupsProcessorSettings)[] = Object.freeze([
  ...(Object.keys(TIER_DEFAULTS) as (keyof TierOptions)[]),
  'groupBatch',
]);

/**
 * Checks the settings and completes them.
 *
 * @param owner goes before the option's name in errors
 * @throws InvalidOptionError naming the option
 */
export function checkGroupsProcessor(
  { groupBatch, ...tiers }: GroupsProcessorSettings,
  owner: string,
): GroupsProcessorSettings {
  const checked = checkTierOptions(tiers, owner);
  if (groupBatch === undefined) return checked;
  return { ...checked, groupBatch: checkGroupBatch(`${owner}groupBatch`, groupBatch) };
}
