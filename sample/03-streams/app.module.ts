import { type DynamicModule, Module } from '@nestjs/common';
import { RedisQueueModule } from 'nest-redis-queue';
import { AuditLog } from './audit.log.js';
import { audit } from './audit.stream.js';
import { Ledger } from './ledger.js';
import type { Settings } from './settings.js';

/** The application that writes the log and looks at what became of it; workers run elsewhere. */
@Module({})
export class AppModule {
  static for({ redisUrl: url, prefix }: Settings): DynamicModule {
    return {
      module: AppModule,
      imports: [
        RedisQueueModule.forRoot({ connection: { url }, prefix, role: 'producer' }),
        RedisQueueModule.forFeature([audit]),
      ],
      providers: [{ provide: Ledger, useFactory: () => new Ledger(url, prefix) }, AuditLog],
    };
  }
}
