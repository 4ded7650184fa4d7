import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileKind, kindOf } from './file-kind.js';

/** What is kept of a file, as the result of its job. */
export interface FileFacts {
  readonly bytes: number;
  readonly sha256: string;
  readonly kind: FileKind;
}

const PREVIEW_BYTES = 1_024;

/** Reads a file once, chunk by chunk, however large it is; stops when the signal aborts. */
export async function describeFile(path: string, signal: AbortSignal): Promise<FileFacts> {
  const hash = createHash('sha256');
  let bytes = 0;
  let kind: FileKind = 'empty';
  for await (const chunk of createReadStream(path, { signal }) as AsyncIterable<Buffer>) {
    if (bytes === 0) kind = kindOf(path, chunk);
    bytes += chunk.length;
    hash.update(chunk);
  }
  return { bytes, sha256: hash.digest('hex'), kind };
}

/** The first line of a text, or what sort of file it is. */
export async function previewFile(path: string): Promise<string> {
  const head = createReadStream(path, { end: PREVIEW_BYTES - 1 }) as AsyncIterable<Buffer>;
  const chunks: Buffer[] = [];
  for await (const chunk of head) chunks.push(chunk);
  const start = Buffer.concat(chunks);
  const kind = kindOf(path, start);
  return kind === 'text' || kind === 'code' ? start.toString().split('\n', 1)[0] : kind;
}
