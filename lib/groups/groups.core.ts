import { Logger } from '@nestjs/common';
import { checkKeys } from '../errors/index.js';
import {
  checkPrefix,
  DEFAULT_PREFIX,
  openStandalone,
  pickOptions,
  STANDALONE_OPTIONS,
  type RedisConnection,
} from '../redis/index.js';
import {
  GROUPS_DEFAULTS,
  resolveGroupsOptions,
  type GroupsOptions,
  type GroupsSettings,
  type GroupTransportOptions,
} from './groups.options.js';

/** What the transports of all topics over one connection share. */
export interface GroupsCore {
  readonly connection: RedisConnection;
  readonly prefix: string;
  readonly settings: GroupsSettings;
  /** Whether `close()` of the first transport closes the connection. */
  readonly ownsConnection: boolean;
}

const ENGINE_NAMES = Object.keys(GROUPS_DEFAULTS) as (keyof GroupsOptions)[];
const OWN_NAMES = [...STANDALONE_OPTIONS, ...ENGINE_NAMES, 'topic', 'prefix'];

/**
 * Opens what a transport used alone needs; nothing is sent yet.
 *
 * @throws InvalidOptionError naming the option
 */
export function openCore(options: GroupTransportOptions): GroupsCore {
  checkKeys('options', options, OWN_NAMES);
  const { prefix = DEFAULT_PREFIX, logger = new Logger('GroupTransport') } = options;
  return {
    prefix: checkPrefix('prefix', prefix),
    settings: resolveGroupsOptions(pickOptions(options, ENGINE_NAMES), 'options'),
    connection: openStandalone({ ...options, logger }, 'groups'),
    ownsConnection: true,
  };
}
