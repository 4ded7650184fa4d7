import { Logger } from '@nestjs/common';
import type { HandlerLogger } from '../contract/index.js';
import { InvalidOptionError, checkBoolean, checkKeys } from '../errors/index.js';
import { RedisConnection, checkPrefix, type ConnectionOptions } from '../redis/index.js';
import { Promoter } from '../upkeep/index.js';
import {
  JOBS_DEFAULTS,
  resolveJobsOptions,
  type JobDriverOptions,
  type JobsSettings,
} from './jobs.options.js';

/** What the drivers of all queues over one connection share. */
export interface JobsCore {
  readonly connection: RedisConnection;
  readonly prefix: string;
  readonly settings: JobsSettings;
  /** Runs upkeep for the drivers used without the module; the module has its own. */
  readonly promoter: Promoter | null;
  /** Whether `close()` of the first driver closes the connection. */
  readonly ownsConnection: boolean;
}

const OWN_NAMES = [
  'connection',
  'client',
  'queue',
  'prefix',
  'logger',
  'connectTimeoutMs',
  'commandTimeoutMs',
  'blockMs',
  'promoter',
] as const;

/** Opens what a driver used alone needs; nothing is sent yet. */
export function openCore(options: JobDriverOptions): JobsCore {
  checkKeys('options', options, [...OWN_NAMES, ...Object.keys(JOBS_DEFAULTS)]);
  const { connection, client, queue: _, prefix = 'rq', promoter = true, ...rest } = options;
  const {
    logger = new Logger('JobDriver'),
    connectTimeoutMs,
    commandTimeoutMs,
    blockMs,
    ...engine
  } = rest;
  const settings = resolveJobsOptions(engine, 'options');
  return {
    prefix: checkPrefix('prefix', prefix),
    settings,
    connection: new RedisConnection({
      connection: oneOf(connection, client),
      name: 'jobs',
      logger,
      ...(connectTimeoutMs !== undefined && { connectTimeoutMs }),
      ...(commandTimeoutMs !== undefined && { commandTimeoutMs }),
      ...(blockMs !== undefined && { blockMs }),
    }),
    promoter: checkBoolean('promoter', promoter) ? startPromoter(settings, logger) : null,
    ownsConnection: true,
  };
}

function oneOf(
  connection: ConnectionOptions | undefined,
  client: ConnectionOptions['client'],
): ConnectionOptions {
  if ((connection === undefined) === (client === undefined)) {
    throw new InvalidOptionError('connection', 'give exactly one of connection and client');
  }
  return connection ?? { client };
}

function startPromoter({ promoteEveryMs }: JobsSettings, logger: HandlerLogger): Promoter {
  const promoter = new Promoter({ everyMs: promoteEveryMs, logger });
  promoter.start();
  return promoter;
}
