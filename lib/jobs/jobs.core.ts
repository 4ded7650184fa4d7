import { Logger } from '@nestjs/common';
import type { HandlerLogger } from '../contract/index.js';
import { checkBoolean, checkKeys } from '../errors/index.js';
import {
  checkPrefix,
  DEFAULT_PREFIX,
  openStandalone,
  pickOptions,
  STANDALONE_OPTIONS,
  type RedisConnection,
} from '../redis/index.js';
import { Promoter } from '../upkeep/index.js';
import {
  JOBS_DEFAULTS,
  resolveJobsOptions,
  type JobDriverOptions,
  type JobsOptions,
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

const ENGINE_NAMES = Object.keys(JOBS_DEFAULTS) as (keyof JobsOptions)[];
const OWN_NAMES = [...STANDALONE_OPTIONS, ...ENGINE_NAMES, 'queue', 'prefix', 'promoter'];

/** Opens what a driver used alone needs; nothing is sent yet. */
export function openCore(options: JobDriverOptions): JobsCore {
  checkKeys('options', options, OWN_NAMES);
  const { prefix = DEFAULT_PREFIX, promoter = true, logger = new Logger('JobDriver') } = options;
  const settings = resolveJobsOptions(pickOptions(options, ENGINE_NAMES), 'options');
  return {
    prefix: checkPrefix('prefix', prefix),
    settings,
    connection: openStandalone({ ...options, logger }, 'jobs'),
    promoter: checkBoolean('promoter', promoter) ? startPromoter(settings, logger) : null,
    ownsConnection: true,
  };
}

function startPromoter({ promoteEveryMs }: JobsSettings, logger: HandlerLogger): Promoter {
  const promoter = new Promoter({ everyMs: promoteEveryMs, logger });
  promoter.start();
  return promoter;
}
