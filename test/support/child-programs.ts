import { execFile, spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { eventually } from './eventually.js';

/** A process of its own that says on stdout what it does, a word a line. */
export interface ChildProgram {
  /** Every line so far. */
  words(): string[];
  /** Resolves once it has said this line. */
  said(word: string): Promise<void>;
  kill(signal: NodeJS.Signals): void;
  /** How it ended. */
  readonly ended: Promise<{ readonly code: number | null; readonly signal: string | null }>;
}

/** Child programs of one folder, compiled together with the library as plain JavaScript. */
export class ChildPrograms {
  private outDir = '';
  private readonly running = new Set<ChildProgram>();

  /** @param folder from the root of the repository, for example `test/fault/jobs/child` */
  constructor(private readonly folder: string) {}

  async compile(): Promise<void> {
    const cache = resolve('.cache');
    await mkdir(cache, { recursive: true });
    this.outDir = await mkdtemp(join(cache, 'child-'));
    const args = ['test/e2e/child/compile.mjs', this.outDir, this.folder];
    await promisify(execFile)(process.execPath, args);
  }

  /** Starts `<folder>/<program>.ts`, with `setup` as JSON in the environment. */
  run(program: string, setup: object): ChildProgram {
    const child = spawn(process.execPath, [join(this.outDir, this.folder, `${program}.js`)], {
      env: { ...process.env, SETUP: JSON.stringify(setup) },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
    const words = () => output.split('\n').filter((word) => word !== '');
    const running: ChildProgram = {
      words,
      said: async (word) =>
        void (await eventually(() => words().includes(word), { withinMs: 20_000 })),
      kill: (signal) => void child.kill(signal),
      ended: new Promise((done) => child.on('close', (code, signal) => done({ code, signal }))),
    };
    this.running.add(running);
    return running;
  }

  /** SIGKILL for whatever still runs. */
  async killAll(): Promise<void> {
    for (const child of this.running) child.kill('SIGKILL');
    await Promise.all([...this.running].map(({ ended }) => ended));
    this.running.clear();
  }

  remove(): Promise<void> {
    return rm(this.outDir, { recursive: true, force: true });
  }
}

/** The programs of a folder for the tests of one file; none outlives its test. */
export function useChildPrograms(folder: string): ChildPrograms {
  const programs = new ChildPrograms(folder);
  beforeAll(() => programs.compile(), 60_000);
  afterEach(() => programs.killAll());
  afterAll(() => programs.remove());
  return programs;
}
