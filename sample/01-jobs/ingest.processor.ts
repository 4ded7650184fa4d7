import { join } from 'node:path';
import { InjectQueue, type Job, type ProcessContext, type QueueOf } from 'nest-redis-queue';
import { describeFile, type FileFacts, previewFile } from './file-facts.js';
import { FolderIndexer, type IndexReport } from './folder.indexer.js';
import { count, seconds } from './format.js';
import { ingest, type IngestJobs } from './ingest.queue.js';
import { Screen } from './screen.js';
import { Settings } from './settings.js';
import { UploadFolder } from './upload.folder.js';

/**
 * Does the work, one method a job type.
 *
 * What a method returns is kept as the job's result; what it throws makes the job fail, which is
 * tried again here after some 0.2 and 0.4 seconds and then lands in `failed`. A file that cannot
 * be read, or that is gone by now, needs no code of its own.
 */
@ingest.Processor({ retry: { attempts: 3, backoff: { type: 'exponential', baseMs: 200 } } })
export class IngestProcessor {
  constructor(
    private readonly settings: Settings,
    private readonly indexer: FolderIndexer,
    private readonly uploads: UploadFolder,
    private readonly screen: Screen,
    @InjectQueue(ingest) private readonly queue: QueueOf<typeof ingest>,
  ) {}

  @ingest.Process('file')
  file({ payload }: Job<IngestJobs['file']>, { signal }: ProcessContext): Promise<FileFacts> {
    return describeFile(join(this.settings.folder, payload.path), signal);
  }

  @ingest.Process('preview')
  preview({ payload }: Job<IngestJobs['preview']>): Promise<string> {
    return previewFile(join(this.settings.folder, payload.path));
  }

  @ingest.Process('upload')
  upload({ payload }: Job<IngestJobs['upload']>, { signal }: ProcessContext): Promise<FileFacts> {
    return describeFile(this.uploads.pathOf(payload.name), signal);
  }

  @ingest.Process('rescan')
  async rescan(_job: Job<IngestJobs['rescan']>, context: ProcessContext): Promise<IndexReport> {
    const report = await this.indexer.index(context.signal);
    this.screen.say(`re-scan: ${count(report.created)} new among ${count(report.found)} files`);
    return report;
  }

  @ingest.Process('report')
  async report({ payload }: Job<IngestJobs['report']>): Promise<void> {
    const { done, pending } = await this.queue.stats();
    const after = seconds(payload.afterMs);
    this.screen.say(
      `report asked for ${after} ago: ${count(done)} done, ${count(pending)} waiting`,
    );
  }
}
