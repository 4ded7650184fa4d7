import {
  CommandTimeoutError,
  InvalidOptionError,
  NotConnectedError,
  OperationalError,
  ReplyLostError,
  ReservedError,
} from '../../../lib/errors/index.js';
import { failureKind, toCallerError, withoutDoubt } from '../../../lib/redis/server-errors.js';
import { slotOf } from '../../../lib/redis/cluster-node.js';

function reply(message: string): Error {
  const error = new Error(message);
  error.name = 'ReplyError';
  return Object.assign(error, { command: { name: 'auth', args: ['hunter2'] } });
}

describe('how a call failed', () => {
  test.each([
    ['NOSCRIPT No matching script.', 'noscript'],
    ['READONLY You can not write', 'refused'],
    ['LOADING Redis is loading', 'refused'],
    ['BUSY Redis is busy', 'refused'],
    ['TRYAGAIN Multiple keys', 'refused'],
    ['CLUSTERDOWN The cluster is down', 'refused'],
    ['MASTERDOWN Link with MASTER is down', 'refused'],
    ['ERR Error running script (call to f_ab): @user_script:1: -READONLY You can', 'refused'],
    ['OOM command not allowed', 'final'],
    ['WRONGTYPE Operation', 'final'],
    ['ERR READONLY is not the first word', 'final'],
    ['RESERVED gone', 'final'],
  ])('%s', (message, kind) => {
    expect(failureKind(reply(message))).toBe(kind);
  });

  test('errors of the client library', () => {
    expect(failureKind(new Error("Stream isn't writeable and enableOfflineQueue …"))).toBe(
      'unsent',
    );
    expect(failureKind(new Error('Connection is closed.'))).toBe('lost');
    expect(failureKind(new Error('Too many Cluster redirections. Last error: …'))).toBe('refused');
  });
});

describe('the error that a caller gets', () => {
  const toError = (error: Error) => toCallerError(error, 'a script', 'h:1');

  test('our own first words become classes', () => {
    const reserved = toError(reply('RESERVED held by a batch'));
    expect(reserved).toBeInstanceOf(ReservedError);
    expect(reserved.message).toBe('held by a batch');
    const wrong = toError(reply('INVALID_OPTION target is the queue itself'));
    expect(wrong).toBeInstanceOf(InvalidOptionError);
    expect(wrong).toMatchObject({ option: 'target', message: 'target: is the queue itself' });
  });

  test.each(['constructor x', 'toString x', 'ERR unknown'])(
    '%s is an OperationalError',
    (message) => {
      const error = toError(reply(message));
      expect(error).toBeInstanceOf(OperationalError);
      expect(error.message).toContain(message);
      expect(error).toMatchObject({ retryable: false, outcomeAmbiguous: false });
    },
  );

  test('a full server may take it later', () => {
    expect(toError(reply('OOM command not allowed'))).toMatchObject({ retryable: true });
  });

  test('arguments of the command are not carried along', () => {
    const error = toError(reply('ERR no'));
    expect(
      JSON.stringify([error, error.cause, Object.entries(error.cause as Error)]),
    ).not.toContain('hunter2');
  });

  test('what was not sent and what was lost differ', () => {
    expect(toError(new Error("Stream isn't writeable"))).toBeInstanceOf(NotConnectedError);
    expect(toError(new Error('Connection is closed.'))).toBeInstanceOf(ReplyLostError);
  });

  test('what only reads leaves nothing in doubt', () => {
    const lost = toError(new Error('Connection is closed.'));
    expect(lost).toMatchObject({ outcomeAmbiguous: true });
    expect(lost.message).toMatch(/; it may have happened$/);
    for (const failure of [lost, new CommandTimeoutError('late; it may have happened')]) {
      const read = withoutDoubt(failure) as Error;
      expect(read).toBeInstanceOf(failure.constructor);
      expect(read).toMatchObject({ retryable: true, outcomeAmbiguous: false });
      expect(read.message).not.toContain('may have happened');
    }
    const refused = toError(reply('OOM command not allowed'));
    expect(withoutDoubt(refused)).toBe(refused);
  });
});

test('hash slots are those of the cluster specification', () => {
  expect(slotOf('123456789')).toBe(12_739);
  expect(slotOf('rq:jobs:{foo}:x')).toBe(slotOf('foo'));
  expect(slotOf('foo')).toBe(12_182);
  expect(slotOf('{}x')).not.toBe(slotOf(''));
});
