import type { INestApplicationContext } from '@nestjs/common';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { eventually } from '../support/eventually.js';
import { REDIS_URL, testPrefix } from '../support/test-prefix.js';

const root = process.cwd();
const folder = join(root, 'test', 'e2e', `.readme-${process.pid}`);

/** The TypeScript blocks of the README that begin with the name of their file. */
function examples(): Map<string, string> {
  const blocks = readFileSync(join(root, 'README.md'), 'utf8').matchAll(
    /^```ts\n\/\/ (\S+\.ts)\n(.*?)^```$/gms,
  );
  return new Map([...blocks].map(([, name, code]) => [name, code]));
}

function compileErrors(files: readonly string[]): string[] {
  const config = ts.readConfigFile(join(root, 'tsconfig.json'), (path) => ts.sys.readFile(path));
  const { options } = ts.parseJsonConfigFileContent(config.config, ts.sys, root);
  const program = ts.createProgram([...files], { ...options, noEmit: true });
  return ts
    .getPreEmitDiagnostics(program)
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
}

describe('the examples of the README', () => {
  const prefix = testPrefix('readme');

  beforeAll(() => {
    mkdirSync(folder, { recursive: true });
    for (const [name, code] of examples()) writeFileSync(join(folder, name), code);
  });

  afterAll(async () => {
    rmSync(folder, { recursive: true, force: true });
    await prefix.cleanUp();
  });

  it('are there', () => {
    expect([...examples().keys()]).toEqual(
      expect.arrayContaining(['emails.queue.ts', 'email.processor.ts', 'app.module.ts', 'main.ts']),
    );
  });

  it('compile', () => {
    expect(compileErrors([...examples().keys()].map((name) => join(folder, name)))).toEqual([]);
  }, 120_000);

  it('run: the five-minute start sends its emails', async () => {
    process.env.QUEUE_PREFIX = prefix.prefix;
    const { start } = (await import(join(folder, 'main.ts'))) as {
      readonly start: () => Promise<INestApplicationContext>;
    };
    const { Mailer } = (await import(join(folder, 'mailer.ts'))) as {
      Mailer: new () => { sent: string[] };
    };
    const app = await start();
    await eventually(() => app.get(Mailer).sent.length === 2);
    expect(app.get(Mailer).sent.sort()).toEqual(['2026-11-29', '7']);
    await app.close();
  });

  it('run: the tour of the verbs sees what it says', async () => {
    const { tour } = (await import(join(folder, 'verbs.ts'))) as {
      readonly tour: (url: string, prefix: string) => Promise<string[]>;
    };
    await expect(tour(REDIS_URL, prefix.prefix)).resolves.toEqual([
      'created again: false',
      'absorbed: true',
      'after fail: failed',
      'done 1, cancelled 1',
    ]);
  });

  it('run: the visit to the other engines sees what it says', async () => {
    const { visit } = (await import(join(folder, 'verbs-of-the-others.ts'))) as {
      readonly visit: (url: string, prefix: string) => Promise<string[]>;
    };
    await expect(visit(REDIS_URL, prefix.prefix)).resolves.toEqual([
      'order-42: placed',
      'order-42: paid',
      'a line',
      '101, 102, closing time',
    ]);
  });
});
