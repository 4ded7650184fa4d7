import { checkTierOptions, nextPasses, passesFrom } from '../../../lib/groups/tiers.js';

/** Numbers drawn one after the other. */
const drawing = (...numbers: number[]) => {
  return () => numbers.shift() ?? 0;
};

describe('the tiers of a claim', () => {
  test.each([
    [-3, '01234'],
    [0, '01234'],
    [2, '234'],
    [4, '4'],
    [5, ''],
    [99, ''],
  ])('from %p on are %p', (minPriority, passes) => {
    expect(passesFrom(minPriority)).toBe(passes);
  });

  test('are all of them unless an option says otherwise', () => {
    expect(nextPasses(checkTierOptions())).toBe('01234');
  });

  test.each([
    [0.25, 0.24, '1234 01234'],
    [0.25, 0.25, '01234'],
    [1, 0.999, '1234 01234'],
    [0, 0, '01234'],
  ])('with a high ratio of %p and a draw of %p are %p', (highRatio, drawn, passes) => {
    expect(nextPasses(checkTierOptions({ highRatio }), drawing(drawn))).toBe(passes);
  });

  test('count as high from the threshold on', () => {
    const tiers = checkTierOptions({ highRatio: 1, priorityThreshold: 3 });
    expect(nextPasses(tiers)).toBe('34 01234');
  });

  test('with weights come in an order drawn by weight, each once', () => {
    const tiers = checkTierOptions({ weights: [1, 0, 1, 0, 2] });
    expect(nextPasses(tiers, drawing(0, 0, 0))).toBe('4 2 0 3 1');
    expect(nextPasses(tiers, drawing(0.99, 0, 0))).toBe('0 4 2 3 1');
    expect(nextPasses(tiers, drawing(0.6, 0.99, 0))).toBe('2 0 4 3 1');
  });

  test('with weights come first as often as their weight says', () => {
    const tiers = checkTierOptions({ weights: [1, 0, 0, 0, 3] });
    const firsts = Array.from({ length: 4_000 }, () => nextPasses(tiers)[0]);
    const low = firsts.filter((tier) => tier === '0').length;
    expect(low).toBeGreaterThan(800);
    expect(low).toBeLessThan(1_200);
    expect(firsts.every((tier) => tier === '0' || tier === '4')).toBe(true);
  });
});
