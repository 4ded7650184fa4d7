import { type DynamicModule, Module } from '@nestjs/common';
import { RedisQueueModule } from 'nest-redis-queue';
import { Books } from './books.js';
import { OrderProducer } from './order.producer.js';
import { orders } from './orders.topic.js';
import type { Settings } from './settings.js';

/** The process that publishes and watches; the handlers are in the workers. */
@Module({})
export class AppModule {
  static for({ redisUrl, prefix }: Settings): DynamicModule {
    return {
      module: AppModule,
      imports: [
        RedisQueueModule.forRoot({ connection: { url: redisUrl }, prefix, role: 'producer' }),
        RedisQueueModule.forFeature([orders]),
      ],
      providers: [{ provide: Books, useFactory: () => new Books(redisUrl, prefix) }, OrderProducer],
    };
  }
}
