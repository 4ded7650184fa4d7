import { OpenCalls, type CallName } from '../../../lib/delivery/index.js';
import { CommandTimeoutError, NotConnectedError } from '../../../lib/errors/index.js';

const timeout = new CommandTimeoutError('no answer within 5000 ms; it may have happened');

/** Runs one call whose sendings end like this, one after the other. */
async function outcomeOf(...endings: (string | Error)[]) {
  const names: CallName[] = [];
  const send = (name: CallName) => {
    names.push(name);
    const ending = endings[names.length - 1];
    return typeof ending === 'string' ? Promise.resolve(ending) : Promise.reject(ending);
  };
  const outcome = await new OpenCalls().run(send).catch((error: unknown) => error);
  return { outcome, names };
}

test('a call that is answered is sent once', async () => {
  expect(await outcomeOf('answer')).toMatchObject({ outcome: 'answer', names: [{ seat: 0 }] });
});

test('a call without an answer in time is sent once more, under the same name', async () => {
  const { outcome, names } = await outcomeOf(timeout, 'answer');
  expect(outcome).toBe('answer');
  expect(names[1]).toEqual(names[0]);
  expect(names).toHaveLength(2);
});

test('when that fails too, whatever way, the first sending may have happened', async () => {
  const failures = [new NotConnectedError('no connection'), timeout, new Error('OOM')];
  for (const failure of failures) {
    const { outcome, names } = await outcomeOf(timeout, failure);
    expect(outcome).toBe(timeout);
    expect(names).toHaveLength(2);
  }
});

test('any other failure is told at once', async () => {
  const failure = new NotConnectedError('no connection');
  expect(await outcomeOf(failure)).toMatchObject({ outcome: failure, names: [{}] });
});

test('open calls have different seats, and numbers that rise on each', async () => {
  const calls = new OpenCalls();
  const answers: (() => void)[] = [];
  const names: CallName[] = [];
  const open = () =>
    calls.run((name) => {
      names.push(name);
      return new Promise<void>((resolve) => answers.push(resolve));
    });
  const [first, second] = [open(), open()];
  expect(names.map(({ seat }) => seat)).toEqual([0, 1]);
  answers[0]();
  await first;
  const third = open();
  expect(names[2]).toMatchObject({ holder: names[0].holder, seat: 0 });
  expect(names[2].call).toBeGreaterThan(names[1].call);
  for (const answer of answers) answer();
  await Promise.all([second, third]);
});
