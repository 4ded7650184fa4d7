import {
  type DynamicModule,
  Inject,
  Module,
  type OnApplicationShutdown,
  type Provider,
  type Type,
} from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { ENGINE_NAMES, type EngineName, ENGINES } from './engines.js';
import { InvalidOptionError } from './errors/index.js';
import {
  DEFAULT_INSTANCE,
  getEngineToken,
  getInstanceToken,
  getQueueServiceToken,
} from './processor/index.js';
import { QueueService } from './queue.service.js';
import { RedisQueueInstance } from './redis-queue.instance.js';
import {
  ConfigurableModuleClass,
  MODULE_OPTIONS_TOKEN,
  resolveOptions,
} from './redis-queue.options.js';

const INSTANCE_NAME = Symbol.for('nest-redis-queue:instance-name');

/**
 * The connections and what applications inject.
 *
 * Global, and not only for convenience: Nest runs the shutdown hooks of global modules last, so
 * the connections outlive every handler and everything that still enqueues while it is destroyed.
 */
@Module({})
export class RedisQueueCoreModule extends ConfigurableModuleClass implements OnApplicationShutdown {
  constructor(@Inject(RedisQueueInstance) private readonly instance: RedisQueueInstance) {
    super();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.instance.close();
  }

  /** Completes what Nest's builder made of the options with the providers of the instance. */
  static named(name: string, definition: DynamicModule): DynamicModule {
    const services = servicesOf(name);
    return {
      ...definition,
      global: true,
      providers: [
        ...(definition.providers ?? []),
        { provide: INSTANCE_NAME, useValue: name },
        instanceProvider,
        ...services,
      ],
      exports: services.map(({ provide }) => provide),
    };
  }
}

/** The names of all `forRoot`s of an application. */
export function instanceNames(modules: ModulesContainer): readonly string[] {
  return [...modules.values()]
    .filter(({ metatype }) => metatype === RedisQueueCoreModule)
    .map((core) => core.getProviderByKey(INSTANCE_NAME).instance as string);
}

const instanceProvider: Provider = {
  provide: RedisQueueInstance,
  inject: [MODULE_OPTIONS_TOKEN, INSTANCE_NAME, ModulesContainer],
  useFactory: (options: unknown, name: string, modules: ModulesContainer) => {
    const namesakes = instanceNames(modules).filter((other) => other === name);
    if (namesakes.length > 1) {
      throw new InvalidOptionError(
        'name',
        `RedisQueueModule.forRoot is there ${namesakes.length} times under the name "${name}"; ` +
          'call it once, or give each a name',
      );
    }
    return new RedisQueueInstance(resolveOptions(options, name));
  },
};

type NamedProvider = Exclude<Provider, Type>;

/** Everything that applications inject; under its class too where the instance is the default. */
function servicesOf(name: string): NamedProvider[] {
  const services: NamedProvider[] = [
    { provide: getInstanceToken(name), useExisting: RedisQueueInstance },
    {
      provide: getQueueServiceToken(name),
      inject: [RedisQueueInstance],
      useFactory: (instance: RedisQueueInstance) => new QueueService(instance),
    },
    ...ENGINE_NAMES.map((engine) => driverProvider(engine, name)),
  ];
  if (name !== DEFAULT_INSTANCE) return services;
  return [
    ...services,
    { provide: QueueService, useExisting: getQueueServiceToken(name) },
    ...ENGINE_NAMES.map((engine) => ({
      provide: ENGINES[engine].driver,
      useExisting: getEngineToken(engine, name),
    })),
  ];
}

function driverProvider(engine: EngineName, name: string): NamedProvider {
  return {
    provide: getEngineToken(engine, name),
    inject: [RedisQueueInstance],
    useFactory: (instance: RedisQueueInstance) => instance.engines[engine].driver,
  };
}
