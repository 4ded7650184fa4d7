import { newId } from '../../../lib/delivery/index.js';

describe('new ids', () => {
  test('are 20 lower-case characters, unique, and ascend in the order of making', () => {
    const ids = Array.from({ length: 50_000 }, newId);
    expect(ids.every((id) => /^[0-9a-z]{20}$/.test(id))).toBe(true);
    expect(new Set(ids).size).toBe(ids.length);
    expect([...ids].sort()).toEqual(ids);
  });

  test('begin with the time and leave a digit for a partition', () => {
    const before = Date.now();
    const id = newId();
    const time = parseInt(id.slice(0, 9), 36);
    expect(time).toBeGreaterThanOrEqual(before);
    expect(time).toBeLessThanOrEqual(Date.now() + 1);
    expect(id[9]).toBe('0');
  });

  test('ascend when the clock steps back', () => {
    const real = Date.now;
    const first = newId();
    try {
      Date.now = () => real() - 3_600_000;
      expect(newId() > first).toBe(true);
    } finally {
      Date.now = real;
    }
  });
});
