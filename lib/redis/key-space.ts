import { InvalidOptionError } from '../errors/index.js';
import { checkName, encodeName } from './names.js';

/** Prefix of every key unless the application names one. */
export const DEFAULT_PREFIX = 'rq';

/**
 * The keys of one queue, all in one Redis Cluster slot.
 *
 * A script gets `base` and `base:~` and appends to `base` for every other key, so that a client's
 * `keyPrefix` and the cluster's slots hold for all of them. Both given keys never exist: while a
 * slot migrates, a call that names two absent keys is answered TRYAGAIN, whereas with one it would
 * run on the half-empty new node and find nothing (seen on Redis 7.0.15).
 */
export class KeySpace {
  /** `<prefix>:<engine>:{<encoded name>}`. */
  readonly base: string;
  /** What every script gets as KEYS. */
  readonly keys: readonly [string, string];

  /**
   * @param prefix see `checkPrefix`
   * @param engine the engine's own word, for example `jobs`
   * @param name the queue's name, checked by `checkName`
   * @param partition a later partition changes the hash tag and nothing else
   */
  constructor(prefix: string, engine: string, name: string, partition = 0) {
    const tag = encodeName(checkName('name', name));
    const mark = partition === 0 ? '' : `%${partition}`; // no encoded name holds a bare %digit
    this.base = `${checkPrefix('prefix', prefix)}:${engine}:{${tag}${mark}}`;
    this.keys = [this.base, `${this.base}:~`];
  }

  /** A key of this queue: `key('ready', type)` is `<base>:ready:<type>`; parts are not encoded. */
  key(...suffix: string[]): string {
    return `${this.base}:${suffix.join(':')}`;
  }
}

/**
 * A key prefix without the colon that some write at its end. Empty ones and braces, which would
 * move the hash tag, are refused with `InvalidOptionError`.
 */
export function checkPrefix(option: string, value: unknown): string {
  const prefix = checkName(option, value).replace(/:+$/, '');
  if (prefix !== '' && !/[{}]/.test(prefix)) return prefix;
  throw new InvalidOptionError(option, 'expected a text without braces that is not only colons');
}
