import {
  type BeforeApplicationShutdown,
  type DynamicModule,
  Inject,
  Module,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
  Optional,
} from '@nestjs/common';
import { DiscoveryModule, ModulesContainer } from '@nestjs/core';
import { ENGINES } from './engines.js';
import { checkKeys, checkRecord, InvalidOptionError } from './errors/index.js';
import {
  checkProcessors,
  DEFAULT_INSTANCE,
  getInstanceToken,
  ProcessorExplorer,
  type QueueReference,
} from './processor/index.js';
import { instanceNames, RedisQueueCoreModule } from './redis-queue-core.module.js';
import { RedisQueueFeatureModule } from './redis-queue-feature.module.js';
import { RedisQueueInstance } from './redis-queue.instance.js';
import type { RedisQueueAsyncOptions, RedisQueueOptions } from './redis-queue.options.js';

const ASYNC_OPTION_NAMES = ['name', 'imports', 'inject', 'useFactory', 'useClass', 'useExisting'];

/**
 * Redis queues for a Nest application: import it once with `forRoot` or `forRootAsync`, and with
 * `forFeature` where queue handles are injected.
 *
 * Processors start when the whole application has bootstrapped, and are drained on
 * `app.close()` before anything else is destroyed. For that to happen on SIGTERM the application
 * calls `enableShutdownHooks()`; without it the work in progress comes back when its lease is over.
 */
@Module({})
export class RedisQueueModule
  implements OnApplicationBootstrap, OnModuleDestroy, BeforeApplicationShutdown
{
  private readonly instance: RedisQueueInstance;

  constructor(
    @Optional() @Inject(RedisQueueInstance) instance: RedisQueueInstance | undefined,
    @Optional() @Inject(ProcessorExplorer) private readonly explorer: ProcessorExplorer,
    private readonly modules: ModulesContainer,
  ) {
    if (!instance) {
      throw new InvalidOptionError('RedisQueueModule', 'import it as RedisQueueModule.forRoot(…)');
    }
    this.instance = instance;
    runHooksOutermost(modules);
  }

  /**
   * Connects the application to Redis and starts its processors.
   *
   * @throws InvalidOptionError at start, naming the option; nothing is opened then.
   */
  static forRoot(options: RedisQueueOptions): DynamicModule {
    const { name = DEFAULT_INSTANCE, ...rest } = checkRecord(
      'RedisQueueModule.forRoot',
      options,
    ) as unknown as RedisQueueOptions;
    return host(name, RedisQueueCoreModule.forRoot(rest));
  }

  /**
   * As `forRoot`, with options from a factory, or from a class with `createRedisQueueOptions()`.
   * `name` stands beside the factory, so that injection tokens are known without running it.
   */
  static forRootAsync(options: RedisQueueAsyncOptions): DynamicModule {
    checkKeys('forRootAsync', options, ASYNC_OPTION_NAMES);
    const { useFactory, useClass, useExisting, name = DEFAULT_INSTANCE } = options;
    if ([useFactory, useClass, useExisting].filter((way) => way !== undefined).length !== 1) {
      throw new InvalidOptionError('forRootAsync', 'give one of useFactory, useClass, useExisting');
    }
    return host(name, RedisQueueCoreModule.forRootAsync(options));
  }

  /** Provides the handles of queues for `@InjectQueue`; names the instance where it is not the default. */
  static forFeature(
    queues: readonly QueueReference[],
    instance: string = DEFAULT_INSTANCE,
  ): DynamicModule {
    return RedisQueueFeatureModule.of(queues, instance);
  }

  /** Finds, checks and starts the processors; the last hook of all to run. */
  onApplicationBootstrap(): void {
    const found = this.explorer.explore();
    checkProcessors(found, { engines: ENGINES, instances: instanceNames(this.modules) });
    const { name } = this.instance.options;
    this.instance.start(found.filter(({ metadata }) => metadata.instance === name));
  }

  /** Drains; the first hook of all to run, so that handlers find everything they use alive. */
  async onModuleDestroy(): Promise<void> {
    await this.instance.drain();
  }

  /** The loops are drained by now: upkeep ends, the connections close later. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.instance.stopUpkeep();
  }
}

function host(name: string, definition: DynamicModule): DynamicModule {
  if (typeof name !== 'string' || name === '') {
    throw new InvalidOptionError('name', 'expected a text that is not empty');
  }
  return {
    module: RedisQueueModule,
    imports: [RedisQueueCoreModule.named(name, definition), DiscoveryModule],
    providers: [
      ProcessorExplorer,
      { provide: RedisQueueInstance, useExisting: getInstanceToken(name) },
    ],
  };
}

/**
 * Nest calls the hooks of modules by their distance from the root: the farthest first at
 * bootstrap, the nearest first when it destroys, the root itself having 1. One nearer than the
 * root is the last to start and the first to stop, wherever it is imported.
 */
function runHooksOutermost(modules: ModulesContainer): void {
  for (const module of modules.values()) {
    if (module.metatype === RedisQueueModule) module.distance = -1;
  }
}
