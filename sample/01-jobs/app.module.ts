import { type DynamicModule, Module } from '@nestjs/common';
import { RedisQueueModule } from 'nest-redis-queue';
import { FolderIndexer } from './folder.indexer.js';
import { IngestProcessor } from './ingest.processor.js';
import { ingest } from './ingest.queue.js';
import { IngestRun } from './ingest.run.js';
import { Screen } from './screen.js';
import { Settings } from './settings.js';
import { UploadFolder } from './upload.folder.js';
import { Uploads } from './uploads.js';

/** The queue is the record of the run, so no ended job may drop out of it before the summary. */
const KEEP_ALL = { count: 100_000_000 };

/** An ingest service: one queue, one processor, and what produces its jobs. */
@Module({})
export class AppModule {
  static for(settings: Settings, screen: Screen): DynamicModule {
    return {
      module: AppModule,
      imports: [
        RedisQueueModule.forRoot({
          connection: { url: settings.redisUrl },
          prefix: settings.prefix,
          processors: { concurrency: settings.concurrency },
          jobs: { keepDone: KEEP_ALL, keepFailed: KEEP_ALL },
          logger: screen,
        }),
        RedisQueueModule.forFeature([ingest]),
      ],
      providers: [
        { provide: Settings, useValue: settings },
        { provide: Screen, useValue: screen },
        FolderIndexer,
        IngestProcessor,
        IngestRun,
        UploadFolder,
        Uploads,
      ],
    };
  }
}
