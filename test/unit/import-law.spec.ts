import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, sep } from 'node:path';

/** What each part of lib may import; a part that is not named here fails the test. */
const ENGINES = ['broker', 'groups', 'jobs', 'streams'];
const ENGINE_MAY = ['delivery', 'redis', 'contract', 'errors', 'upkeep'];
const LAW: Readonly<Record<string, readonly string[]>> = {
  errors: [],
  contract: [],
  generated: [],
  redis: ['errors', 'contract', 'generated'],
  delivery: ['contract', 'errors'],
  upkeep: ['contract', 'errors'],
  worker: ['contract', 'errors'],
  ...Object.fromEntries(ENGINES.map((engine) => [engine, ENGINE_MAY])),
  'engines.ts': [...ENGINES, 'redis', 'contract', 'errors', 'upkeep'],
  processor: ['engines.ts', 'worker', 'contract', 'errors'],
};
/** Files beside the folders, and what users' tests import, may use everything. */
const FREE = /^(index|queue\.service|redis-queue.*|engines)\.ts$|^testing$/;

const FILES = readdirSync('lib', { recursive: true, encoding: 'utf8' })
  .map((file) => file.split(sep).join('/'))
  .filter((file) => file.endsWith('.ts'));
const IMPORT = /(?:from|import)\s*\(?\s*['"](\.[^'"]*)['"]/g;

const imports = new Map(FILES.map((file) => [file, importsOf(file)] as const));

describe('who may import whom', () => {
  test('every import, type imports too, keeps to the table', () => {
    const offences = [...imports].flatMap(([file, targets]) =>
      targets.filter((target) => !isAllowed(file, target)).map((target) => `${file} -> ${target}`),
    );
    expect(offences).toEqual([]);
  });

  test('another folder is entered by its index only', () => {
    const offences = [...imports].flatMap(([file, targets]) =>
      targets
        .filter((target) => partOf(target) !== partOf(file) && target.includes('/'))
        .filter((target) => partOf(target) !== 'generated' && !target.endsWith('/index.ts'))
        .map((target) => `${file} -> ${target}`),
    );
    expect(offences).toEqual([]);
  });

  test('there is no cycle', () => {
    expect(findCycle()).toBeUndefined();
  });

  test('contract holds types only', () => {
    const values = FILES.filter((file) => partOf(file) === 'contract').filter((file) =>
      /^export (?!type|interface)(?!\{ type)/m.test(readFileSync(join('lib', file), 'utf8')),
    );
    expect(values).toEqual([]);
  });

  test('lib reads no file and knows no import.meta', () => {
    const offences = FILES.filter((file) =>
      /import\.meta|from 'node:fs/.test(readFileSync(join('lib', file), 'utf8')),
    );
    expect(offences).toEqual([]);
  });
});

function isAllowed(file: string, target: string): boolean {
  const [from, to] = [partOf(file), partOf(target)];
  if (from === to) return true;
  if (from in LAW) return LAW[from].includes(to);
  return FREE.test(from);
}

/** The folder below lib, or the file's own name. */
function partOf(file: string): string {
  return file.split('/', 1)[0];
}

function importsOf(file: string): string[] {
  const source = readFileSync(join('lib', file), 'utf8').replace(/^\s*(\/\/|\*|\/\*).*$/gm, '');
  return [...source.matchAll(IMPORT)].map(([, path]) =>
    normalize(join(dirname(file), path))
      .split(sep)
      .join('/')
      .replace(/\.js$/, '.ts'),
  );
}

function findCycle(): string | undefined {
  const done = new Set<string>();
  const visit = (file: string, path: readonly string[]): string | undefined => {
    if (path.includes(file)) return [...path.slice(path.indexOf(file)), file].join(' -> ');
    if (done.has(file)) return undefined;
    done.add(file);
    for (const target of imports.get(file) ?? []) {
      const cycle = visit(target, [...path, file]);
      if (cycle !== undefined) return cycle;
    }
    return undefined;
  };
  for (const file of FILES) {
    const cycle = visit(file, []);
    if (cycle !== undefined) return cycle;
  }
  return undefined;
}
