import { type DynamicModule, Module, type Provider } from '@nestjs/common';
import { ENGINES } from './engines.js';
import { InvalidOptionError } from './errors/index.js';
import { getEngineToken, getQueueToken, type QueueReference, refer } from './processor/index.js';

/** Hosts the queue handles of one `RedisQueueModule.forFeature`. */
@Module({})
export class RedisQueueFeatureModule {
  /** The handles of these queues, of the `forRoot` under the name `instance`. */
  static of(queues: readonly QueueReference[], instance: string): DynamicModule {
    const providers = queues.map((queue) => handleProvider(queue, instance));
    return {
      module: RedisQueueFeatureModule,
      providers,
      exports: queues.map((queue) => getQueueToken(queue, instance)),
    };
  }
}

function handleProvider(queue: QueueReference, instance: string): Provider {
  const { engine, name } = refer(queue);
  return {
    provide: getQueueToken(queue, instance),
    // Optional, so that a missing forRoot is explained here and not as an unknown dependency.
    inject: [{ token: getEngineToken(engine, instance), optional: true }],
    useFactory: (
      driver: Parameters<(typeof ENGINES)[typeof engine]['openQueue']>[0] | undefined,
    ) => {
      if (driver) return ENGINES[engine].openQueue(driver, name);
      throw new InvalidOptionError(
        'forFeature',
        `the queue "${name}" needs RedisQueueModule.forRoot under the name "${instance}", and ` +
          'there is none',
      );
    },
  };
}
