import { checkInteger, checkKeys, checkNumber, InvalidOptionError } from '../errors/index.js';

/** The highest tier. */
export const TOP_TIER = 4;

const ALL = '01234';

/** How a processor spreads its claims over the five tiers. */
export interface TierOptions {
  /**
   * The share of claims (0 to 1) that ask for tiers from `priorityThreshold` on first; all of them
   * fall back to every tier. @default 0
   */
  readonly highRatio?: number;
  /** The lowest tier that counts as high, 0 to 4. @default 1 */
  readonly priorityThreshold?: number;
  /**
   * For each tier from 0 to 4 how often it is asked first, in proportion; where it has nothing the
   * others are asked. A tier of weight 0 is only asked last. Low tiers with a weight cannot starve,
   * whatever the high ones do. Excludes `highRatio`. @default off: the group that waits longest
   */
  readonly weights?: readonly number[] | null;
}

/** Tier options that were checked and completed. */
export interface ResolvedTiers {
  readonly highRatio: number;
  readonly priorityThreshold: number;
  readonly weights: readonly number[] | null;
}

export const TIER_DEFAULTS: ResolvedTiers = Object.freeze({
  highRatio: 0,
  priorityThreshold: 1,
  weights: null,
});

/** Which tiers a claim looks at, set after set, as the claim script takes them: `'34 01234'`. */
export type Passes = string;

/**
 * Checks tier options and completes them.
 *
 * @param owner goes before the option's name in errors
 * @throws InvalidOptionError naming the option
 */
export function checkTierOptions(options: TierOptions = {}, owner = ''): ResolvedTiers {
  checkKeys(owner.replace(/\.$/, '') || 'options', options, Object.keys(TIER_DEFAULTS));
  const { highRatio = 0, priorityThreshold = 1, weights = null } = options;
  if (weights !== null && highRatio !== 0) {
    throw new InvalidOptionError(`${owner}weights`, 'give either weights or highRatio');
  }
  return Object.freeze({
    highRatio: checkNumber(`${owner}highRatio`, highRatio, { min: 0, max: 1 }),
    priorityThreshold: checkInteger(`${owner}priorityThreshold`, priorityThreshold, {
      min: 0,
      max: TOP_TIER,
    }),
    weights: weights === null ? null : checkWeights(`${owner}weights`, weights),
  });
}

/** The passes of a claim from a lowest tier on; empty when there is no such tier. */
export function passesFrom(minPriority: number): Passes {
  return ALL.slice(Math.max(0, minPriority));
}

/**
 * The passes of a processor's next claim.
 *
 * @param random a number from 0 to below 1, drawn anew for every use
 */
export function nextPasses(tiers: ResolvedTiers, random: () => number = Math.random): Passes {
  if (tiers.weights !== null) return drawOrder(tiers.weights, random).join(' ');
  const isHigh = tiers.highRatio > 0 && random() < tiers.highRatio;
  return isHigh ? `${passesFrom(tiers.priorityThreshold)} ${ALL}` : ALL;
}

function checkWeights(option: string, weights: readonly number[]): readonly number[] {
  if (!Array.isArray(weights) || weights.length !== TOP_TIER + 1) {
    throw new InvalidOptionError(option, 'expected five numbers, for tier 0 to tier 4');
  }
  const checked = weights.map((weight) => checkNumber(option, weight, { min: 0, max: 1e6 }));
  if (checked.some((weight) => weight > 0)) return Object.freeze(checked);
  throw new InvalidOptionError(option, 'expected at least one number above 0');
}

/** The tiers in an order drawn by weight, one by one; those without a weight last, highest first. */
function drawOrder(weights: readonly number[], random: () => number): number[] {
  const left = weights.map((weight, tier) => ({ tier, weight })).reverse();
  const order: number[] = [];
  while (left.length > 0) {
    let point = random() * left.reduce((sum, { weight }) => sum + weight, 0);
    const at = left.findIndex(({ weight }) => (point -= weight) < 0);
    order.push(...left.splice(Math.max(0, at), 1).map(({ tier }) => tier));
  }
  return order;
}
