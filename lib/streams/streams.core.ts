import { Logger } from '@nestjs/common';
import type { HandlerLogger } from '../contract/index.js';
import { InvalidOptionError } from '../errors/index.js';
import {
  checkPrefix,
  DEFAULT_PREFIX,
  KeySpace,
  openStandalone,
  STANDALONE_OPTIONS,
  type RedisConnection,
} from '../redis/index.js';
import { SharedUpkeep } from './shared-upkeep.js';
import type { StreamsSettings, StreamsStandalone } from './streams.options.js';

/** What the parts of the engine over one connection share. */
export interface StreamsCore {
  readonly connection: RedisConnection;
  readonly prefix: string;
  readonly settings: StreamsSettings;
  readonly logger: HandlerLogger;
  /** Upkeep of the queues that consumers used alone read; the module's loops have the module's. */
  readonly upkeep: SharedUpkeep;
  /** The consumers that read now, for whoever stops the whole engine. */
  readonly running: Set<{ stop(): Promise<void> }>;
  /** Whether `close()` of the part that was made with it closes the connection. */
  readonly ownsConnection: boolean;
}

/** The names of all options that are not the engine's own. */
export const STANDALONE_NAMES: readonly string[] = [
  ...STANDALONE_OPTIONS.filter((name) => name !== 'blockMs'),
  'url',
  'queue',
  'prefix',
];

/**
 * Opens what a part used alone needs; nothing is sent yet.
 *
 * @throws InvalidOptionError naming the option
 */
export function openCore(
  options: StreamsStandalone,
  settings: StreamsSettings,
  part: string,
): StreamsCore {
  const { prefix = DEFAULT_PREFIX, logger = new Logger(part) } = options;
  return {
    prefix: checkPrefix('prefix', prefix),
    connection: openConnection({ ...options, logger }),
    settings,
    logger,
    upkeep: new SharedUpkeep(logger),
    running: new Set(),
    ownsConnection: true,
  };
}

/** The same core for a further part, which opened nothing and so closes nothing. */
export function borrowed(core: StreamsCore): StreamsCore {
  return { ...core, ownsConnection: false };
}

/** The keys of one queue. */
export function spaceOf(core: StreamsCore, queue: string): KeySpace {
  return new KeySpace(core.prefix, 'streams', queue);
}

function openConnection(options: StreamsStandalone): RedisConnection {
  const { url, client, connection, logger, connectTimeoutMs, commandTimeoutMs } = options;
  if ([url, client, connection].filter((way) => way !== undefined).length !== 1) {
    throw new InvalidOptionError('url', 'give exactly one of url and client (or connection)');
  }
  const limits = { logger, connectTimeoutMs, commandTimeoutMs };
  if (client !== undefined) return openStandalone({ ...limits, client }, 'streams');
  return openStandalone({ ...limits, connection: connection ?? { url } }, 'streams');
}
