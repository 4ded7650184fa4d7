import { ConfigurableModuleBuilder, type LoggerService, type ModuleMetadata } from '@nestjs/common';
import { ENGINE_NAMES, type EngineName, type EngineOptions } from './engines.js';
import {
  checkBoolean,
  checkDuration,
  checkFunction,
  checkKeys,
  checkOneOf,
  checkRecord,
  InvalidOptionError,
  withoutUndefined,
} from './errors/index.js';
import { DEFAULT_INSTANCE, type ProcessorSettings } from './processor/index.js';
import { checkPrefix, type ConnectionOptions } from './redis/index.js';
import { checkLoopOptions } from './worker/index.js';

/** What a process does: only produce, or run processors (whose handlers may produce as well). */
export type RedisQueueRole = 'producer' | 'worker' | 'both';

/** The options of each engine, by its name. */
export type OptionsByEngine = { readonly [Name in EngineName]?: EngineOptions<Name> };

/** Options of `RedisQueueModule.forRoot`. Unknown keys are refused. */
export interface RedisQueueOptions extends OptionsByEngine {
  /** How to reach Redis: exactly one of url, options, cluster, sentinels and client. */
  readonly connection: ConnectionOptions;
  /**
   * First part of every key.
   * @default 'rq'
   */
  readonly prefix?: string;
  /**
   * Tells several `forRoot`s of one application apart; one without a name is 'default'.
   * @default 'default'
   */
  readonly name?: string;
  /**
   * 'producer' starts no processor and no upkeep, whatever classes the application provides;
   * 'worker' warns when there is no processor to start; 'both' does neither.
   * @default 'both'
   */
  readonly role?: RedisQueueRole;
  /**
   * How long running handlers may go on when the application closes, in milliseconds; then their
   * signals abort and their messages go back without an attempt spent. 0 does not wait.
   * @default 10_000
   */
  readonly shutdownGraceMs?: number;
  /** How long a call waits for a usable connection, in milliseconds. @default 5_000 */
  readonly connectTimeoutMs?: number;
  /** How long a call waits for its reply, in milliseconds. @default 5_000 */
  readonly commandTimeoutMs?: number;
  /** The longest single wait of an idle loop on the server, in milliseconds. @default 5_000 */
  readonly blockMs?: number;
  /**
   * Whether the last step of a shutdown quits the client given as `connection.client`; say false
   * where the application goes on using it.
   * @default true
   */
  readonly closeBorrowedClient?: boolean;
  /** Where the library logs. @default Nest's own logger */
  readonly logger?: LoggerService;
  /** Settings of all processors; those of a queue definition and of a processor go first. */
  readonly processors?: ProcessorSettings;
}

/** Options with every default filled in. */
export type ResolvedOptions = OptionsByEngine &
  Required<Pick<RedisQueueOptions, 'connection' | 'processors' | keyof typeof DEFAULTS>> &
  Pick<RedisQueueOptions, 'logger'>;

/** What holds for an option that is left out. */
export const DEFAULTS = Object.freeze({
  prefix: 'rq',
  name: DEFAULT_INSTANCE,
  role: 'both',
  shutdownGraceMs: 10_000,
  connectTimeoutMs: 5_000,
  commandTimeoutMs: 5_000,
  blockMs: 5_000,
  closeBorrowedClient: true,
} satisfies Required<Omit<RedisQueueOptions, 'connection' | 'logger' | 'processors' | EngineName>>);

/** What `forRootAsync` makes: all options but the name, which stands beside the factory. */
export type RedisQueueAsyncResult = Omit<RedisQueueOptions, 'name'>;

/** A class that makes the options, for `forRootAsync({ useClass | useExisting })`. */
export interface RedisQueueOptionsFactory {
  /** What `forRoot` would be given; called once, at start. */
  createRedisQueueOptions(): RedisQueueAsyncResult | Promise<RedisQueueAsyncResult>;
}

/** The module's options token and its `forRoot` and `forRootAsync`, made by Nest. */
export const { ConfigurableModuleClass, MODULE_OPTIONS_TOKEN, ASYNC_OPTIONS_TYPE } =
  new ConfigurableModuleBuilder<RedisQueueAsyncResult>({ moduleName: 'RedisQueue' })
    .setClassMethodName('forRoot')
    .setFactoryMethodName('createRedisQueueOptions')
    .setExtras<{ name?: string }>({})
    .build();

/** Options of `RedisQueueModule.forRootAsync`: one of useFactory, useClass and useExisting. */
export type RedisQueueAsyncOptions = typeof ASYNC_OPTIONS_TYPE & Pick<ModuleMetadata, 'imports'>;

const ROLES: readonly RedisQueueRole[] = ['producer', 'worker', 'both'];
const OPTION_NAMES = [...Object.keys(DEFAULTS), 'connection', 'logger', 'processors'];

/**
 * Checks the options and fills in the defaults; opens nothing.
 *
 * @throws InvalidOptionError naming the option that is unknown, missing or wrong.
 */
export function resolveOptions(given: unknown, name: string): ResolvedOptions {
  if (given === undefined || given === null) {
    throw new InvalidOptionError('options', `${given} (the factory of forRootAsync returned none)`);
  }
  const known = OPTION_NAMES.filter((option) => option !== 'name'); // it stands beside the factory
  checkKeys('options', given, [...known, ...ENGINE_NAMES]);
  // what `checkKeys` let through is checked below, the engines' options by the engines
  const options = {
    ...DEFAULTS,
    processors: {},
    ...withoutUndefined(given),
    name,
  } as ResolvedOptions;
  checkConnection(options);
  checkOneOf('role', options.role, ROLES);
  checkDuration('shutdownGraceMs', options.shutdownGraceMs, { min: 0 });
  checkBoolean('closeBorrowedClient', options.closeBorrowedClient);
  checkLoopOptions(options.processors, 'processors.');
  checkLogger(options);
  return Object.freeze({ ...options, prefix: checkPrefix('prefix', options.prefix) });
}

// An undefined url must stop the start: elsewhere it turns into localhost without a word.
function checkConnection({ connection }: { readonly connection?: unknown }): void {
  if (connection === undefined) {
    throw new InvalidOptionError('connection', 'is missing (undefined): say where Redis is');
  }
  for (const [key, value] of Object.entries(checkRecord('connection', connection))) {
    if (value !== undefined) continue;
    throw new InvalidOptionError(
      `connection.${key}`,
      'is undefined: its setting was not found where you read it from',
    );
  }
}

function checkLogger({ logger }: { readonly logger?: unknown }): void {
  if (logger === undefined) return;
  const methods = logger as Readonly<Record<string, unknown>> | null;
  for (const level of ['log', 'error', 'warn']) {
    checkFunction(`logger.${level}`, methods?.[level]);
  }
}
