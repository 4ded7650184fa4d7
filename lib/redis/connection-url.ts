import type { RedisOptions } from 'ioredis';
import { InvalidOptionError } from '../errors/index.js';

const FORM = 'redis[s]://[[user]:password@]host[:port][/db]';

/**
 * The options that a `redis://` or `rediss://` (TLS) URL stands for.
 *
 * User and password are percent-decoded and nothing else, so a literal `+` stays a plus. Throws
 * `InvalidOptionError` for `option` that never repeats the URL, since it may hold a password.
 */
export function parseConnectionUrl(option: string, value: unknown): RedisOptions {
  const url = parse(option, value);
  const tls = url.protocol === 'rediss:';
  return {
    host: url.hostname.replace(/^\[(.*)\]$/, '$1'), // IPv6
    port: url.port === '' ? 6379 : Number(url.port),
    db: databaseOf(option, url),
    ...(url.username === '' ? {} : { username: decode(option, url.username) }),
    ...(url.password === '' ? {} : { password: decode(option, url.password) }),
    ...(tls ? { tls: {} } : {}),
  };
}

function parse(option: string, value: unknown): URL {
  const url = typeof value === 'string' && URL.canParse(value) ? new URL(value) : undefined;
  if (url === undefined) return refuse(option, `expected ${FORM}`);
  if (url.protocol !== 'redis:' && url.protocol !== 'rediss:') {
    return refuse(option, `expected ${FORM}, got another scheme`);
  }
  if (url.hostname === '') return refuse(option, `no host; expected ${FORM}`);
  if (url.search !== '' || url.hash !== '') {
    return refuse(option, 'holds a ? or #; percent-encode it in a password, set options otherwise');
  }
  return url;
}

function databaseOf(option: string, { pathname }: URL): number {
  const match = /^\/?(\d{0,9})$/.exec(pathname);
  return match ? Number(match[1]) : refuse(option, 'the path must be the number of a database');
}

function decode(option: string, encoded: string): string {
  try {
    return decodeURIComponent(encoded);
  } catch {
    return refuse(option, 'user or password holds a % that starts no percent-encoded character');
  }
}

function refuse(option: string, problem: string): never {
  throw new InvalidOptionError(option, problem);
}
