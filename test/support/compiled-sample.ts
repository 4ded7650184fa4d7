import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { transformFile } from '@swc/core';

/** A sample and the library as plain JavaScript in a folder of their own; `dist` is not needed. */
export interface CompiledSample {
  /** Starts the sample's main file; it is killed by `remove` at the latest. */
  start(args: readonly string[], env?: NodeJS.ProcessEnv): SampleRun;
  /** Starts it and waits for its end. */
  run(args?: readonly string[], env?: NodeJS.ProcessEnv): Promise<EndedRun>;
  remove(): Promise<void>;
}

/** What a run of a sample left. */
export interface EndedRun {
  readonly code: number | NodeJS.Signals | null;
  readonly output: string;
}

/** One run of a sample. */
export interface SampleRun {
  /** Everything written so far, to either stream. */
  readonly output: string;
  /** The exit code, or the signal that ended it. */
  readonly ended: Promise<number | NodeJS.Signals | null>;
  kill(signal: NodeJS.Signals): void;
}

const ROOT = resolve('.');

const SWC_OPTIONS = {
  swcrc: false,
  jsc: {
    target: 'es2022',
    parser: { syntax: 'typescript', decorators: true },
    transform: { legacyDecorator: true, decoratorMetadata: true },
  },
  module: { type: 'es6' },
} as const;

/** @param name the sample's folder, for example `01-jobs` */
export async function compileSample(name: string): Promise<CompiledSample> {
  const home = await mkdtemp(join(tmpdir(), 'rq-sample-'));
  const sources = [...(await sourcesIn('lib')), ...(await sourcesIn(join('sample', name)))];
  await Promise.all(sources.map((source) => compile(source, home)));
  await symlink(join(ROOT, 'node_modules'), join(home, 'node_modules'), 'dir');
  // a package may import itself by its name: so the sample finds the library as a user's code does
  const manifest = { name: 'nest-redis-queue', type: 'module', exports: './lib/index.js' };
  await writeFile(join(home, 'package.json'), JSON.stringify(manifest));
  const runs: SampleRun[] = [];
  const start = (args: readonly string[], env: NodeJS.ProcessEnv = {}) => {
    const run = startRun([join(home, 'sample', name, 'main.js'), ...args], env);
    runs.push(run);
    return run;
  };
  return {
    start,
    run: async (args = [], env) => {
      const started = start(args, env);
      const code = await started.ended;
      return { code, output: started.output };
    },
    remove: async () => {
      for (const run of runs) run.kill('SIGKILL');
      await Promise.all(runs.map(({ ended }) => ended));
      await rm(home, { recursive: true, force: true });
    },
  };
}

async function sourcesIn(folder: string): Promise<string[]> {
  const entries = await readdir(join(ROOT, folder), { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => join(entry.parentPath, entry.name));
}

async function compile(source: string, home: string): Promise<void> {
  const target = join(home, relative(ROOT, source)).replace(/\.ts$/, '.js');
  const { code } = await transformFile(source, SWC_OPTIONS);
  await mkdir(dirname(target), { recursive: true });
  await writeFile(target, code);
}

function startRun(args: readonly string[], env: NodeJS.ProcessEnv): SampleRun {
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  }
  const ended = new Promise<number | NodeJS.Signals | null>((done) => {
    child.once('close', (code, signal) => done(code ?? signal));
  });
  return {
    get output() {
      return output;
    },
    ended,
    kill: (signal) => void child.kill(signal),
  };
}
