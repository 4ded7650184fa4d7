import { inspect } from 'node:util';
import { InvalidOptionError } from '../../../lib/errors/index.js';
import { parseConnectionUrl } from '../../../lib/redis/connection-url.js';

const PASSWORD = 'a+b=c/d@e:f#g%25?h{}é 😀';
const ENCODED = encodeURIComponent(PASSWORD);

describe('a connection URL', () => {
  test.each([
    ['redis://localhost', { host: 'localhost', port: 6379, db: 0 }],
    ['redis://localhost:7000/3', { host: 'localhost', port: 7000, db: 3 }],
    ['redis://127.0.0.1/', { host: '127.0.0.1', port: 6379, db: 0 }],
    ['redis://[::1]:7000/1', { host: '::1', port: 7000, db: 1 }],
    ['rediss://cache.example', { host: 'cache.example', port: 6379, db: 0, tls: {} }],
    [`redis://:${ENCODED}@h`, { host: 'h', port: 6379, db: 0, password: PASSWORD }],
    [
      `redis://u%40x:${ENCODED}@h/2`,
      { host: 'h', port: 6379, db: 2, username: 'u@x', password: PASSWORD },
    ],
    [
      `rediss://u:${ENCODED}@[::1]:1/0`,
      { host: '::1', port: 1, db: 0, username: 'u', password: PASSWORD, tls: {} },
    ],
    ['redis://:a+b=c@h', { host: 'h', port: 6379, db: 0, password: 'a+b=c' }],
  ])('%s', (url, options) => {
    expect(parseConnectionUrl('url', url)).toEqual(options);
  });

  test.each([
    '',
    'localhost:6379',
    'http://:hunter2@h',
    '//:hunter2@h',
    'redis:///3',
    'redis://',
    'redis://:hunter2@',
    'redis://:hunter2@h:99999',
    'redis://:hunter2@h:port',
    'redis://:hunter2@h/three',
    'redis://:hunter2@h/1/2',
    'redis://:hunter2#x@h',
    'redis://:hunter2?x@h',
    'redis://:hunter2/x@h',
    'redis://:hunter2%zz@h',
    'redis://:hunter2@h?family=6',
    undefined,
    6379,
  ])('%j is refused without showing the password', (url) => {
    let error: unknown;
    try {
      parseConnectionUrl('connection.url', url);
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toBeInstanceOf(InvalidOptionError);
    expect((error as InvalidOptionError).option).toBe('connection.url');
    expect(inspect(error, { depth: 9 })).not.toContain('hunter2');
  });
});
