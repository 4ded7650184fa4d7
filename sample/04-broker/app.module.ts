import { type DynamicModule, Module } from '@nestjs/common';
import { RedisQueueModule } from 'nest-redis-queue';
import { Clerks } from './clerks.js';
import { FrontDesk } from './front-desk.js';
import { Letters } from './letters.js';
import { Messenger } from './messenger.js';
import { Notices } from './notices.js';
import { inbox } from './queues.js';
import { Scale } from './scale.js';
import type { Settings } from './settings.js';
import { SorterProcessor } from './sorter.processor.js';

/** The mailroom: one namespace, one processor, and those who write and read by hand. */
@Module({})
export class AppModule {
  static for({ redisUrl, prefix }: Settings): DynamicModule {
    return {
      module: AppModule,
      imports: [
        RedisQueueModule.forRoot({
          connection: { url: redisUrl },
          prefix,
          // what was read is counted at the end, so nothing may be vacuumed before
          broker: { namespace: 'mailroom', autoVacuum: false },
        }),
        RedisQueueModule.forFeature([inbox]),
      ],
      providers: [SorterProcessor, Letters, Notices, FrontDesk, Scale, Clerks, Messenger],
    };
  }
}
