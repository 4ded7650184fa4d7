import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AuditEntry } from './audit.stream.js';

/** Lines longer than this are cut: an entry is a note, not a document. */
const MAX_LENGTH = 2_000;

/** The lines of the text files below a folder, a file at a time, in the order of their names. */
export async function* linesBelow(folder: string): AsyncGenerator<AuditEntry[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  for (const path of files.map((file) => join(file.parentPath, file.name)).sort()) {
    const content = await readFile(path);
    if (content.includes(0)) continue; // no text
    const file = path.slice(folder.length + 1);
    const lines = content.toString().split('\n');
    yield lines.map((text, at) => ({ file, line: at + 1, text: text.slice(0, MAX_LENGTH) }));
  }
}
