import { Turns } from '../../../lib/broker/turns.js';

/** A call that is answered by hand. */
function call() {
  let begun = false;
  let answer!: (value: string) => void;
  let refuse!: (error: Error) => void;
  const answered = new Promise<string>((resolve, reject) => ([answer, refuse] = [resolve, reject]));
  const run = () => ((begun = true), answered);
  return { run, isBegun: () => begun, answer: (value: string) => answer(value), refuse };
}

const settle = () => new Promise((resolve) => setImmediate(resolve));

describe('turns', () => {
  it('are taken one after another under one name, and side by side under others', async () => {
    const turns = new Turns();
    const [first, second, other] = [call(), call(), call()];
    const results = [
      turns.take('a', first.run),
      turns.take('a', second.run),
      turns.take('b', other.run),
    ];
    await settle();
    expect([first, second, other].map(({ isBegun }) => isBegun())).toEqual([true, false, true]);
    other.answer('other');
    await settle();
    expect(second.isBegun()).toBe(false);
    first.answer('first');
    await settle();
    expect(second.isBegun()).toBe(true);
    second.answer('second');
    expect(await Promise.all(results)).toEqual(['first', 'second', 'other']);
  });

  it('go on after one that failed, which its own caller is told', async () => {
    const turns = new Turns();
    const [first, second] = [call(), call()];
    const failing = turns.take('a', first.run);
    const next = turns.take('a', second.run);
    first.refuse(new Error('no'));
    await expect(failing).rejects.toThrow('no');
    second.answer('second');
    expect(await next).toBe('second');
  });
});
