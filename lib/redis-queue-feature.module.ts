import { type DynamicModule, Module, type Provider } from '@nestjs/common';
import { type EngineDriver, openHandle } from './engines.js';
import { checkList, InvalidOptionError } from './errors/index.js';
import { getEngineToken, getQueueToken, type QueueReference, refer } from './processor/index.js';

/** Hosts the queue handles of one `RedisQueueModule.forFeature`. */
@Module({})
export class RedisQueueFeatureModule {
  /** The handles of these queues, of the `forRoot` under the name `instance`. */
  static of(queues: readonly QueueReference[], instance: string): DynamicModule {
    checkList('forFeature', queues);
    if (typeof instance !== 'string' || instance === '') {
      throw new InvalidOptionError('forFeature.instance', 'expected the name of a forRoot');
    }
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
    useFactory: (driver: EngineDriver<typeof engine> | undefined) => {
      if (driver) return openHandle(engine, driver, name);
      throw new InvalidOptionError(
        'forFeature',
        `the queue "${name}" needs RedisQueueModule.forRoot under the name "${instance}", and ` +
          'there is none',
      );
    },
  };
}
