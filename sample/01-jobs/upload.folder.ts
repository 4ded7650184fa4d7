import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BeforeApplicationShutdown, Injectable, type OnModuleInit } from '@nestjs/common';

/** Where uploads arrive: a temporary folder of this process. */
@Injectable()
export class UploadFolder implements OnModuleInit, BeforeApplicationShutdown {
  private path = '';

  async onModuleInit(): Promise<void> {
    this.path = await mkdtemp(join(tmpdir(), 'ingest-uploads-'));
  }

  /** Processors have been drained by now: nobody reads here any more. */
  async beforeApplicationShutdown(): Promise<void> {
    await rm(this.path, { recursive: true, force: true });
  }

  pathOf(name: string): string {
    return join(this.path, name);
  }

  /** The upload is through. */
  async receive(name: string, content: string): Promise<void> {
    await writeFile(this.pathOf(name), content);
  }
}
