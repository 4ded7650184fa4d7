import { extname } from 'node:path';

/** What sort of file it is, as far as its first bytes and its name tell. */
export type FileKind = 'code' | 'text' | 'image' | 'archive' | 'binary' | 'empty';

const MARKS: readonly (readonly [mark: string, kind: FileKind])[] = [
  ['89504e47', 'image'],
  ['ffd8ff', 'image'],
  ['47494638', 'image'],
  ['504b0304', 'archive'],
  ['1f8b', 'archive'],
  ['fd377a585a', 'archive'],
];

const CODE = new Set(
  '.c .cc .cjs .cpp .css .cts .go .h .html .java .js .json .jsx .lua .mjs .mts .py .rs .sh .ts .tsx .yaml .yml'.split(
    ' ',
  ),
);

/** Looks at the first bytes; only text is told apart by the extension. */
export function kindOf(path: string, head: Buffer): FileKind {
  if (head.length === 0) return 'empty';
  const start = head.toString('hex', 0, 8);
  const marked = MARKS.find(([mark]) => start.startsWith(mark));
  if (marked) return marked[1];
  if (head.includes(0)) return 'binary';
  return CODE.has(extname(path).toLowerCase()) ? 'code' : 'text';
}
