import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Process, Processor, QueueService, RedisQueueModule } from '../../lib/index.js';
import { eventually, freshPrefix, options, start, url } from './fixture.js';

const CACHE = join(process.cwd(), '.cache');
const children = new Set<ChildProcess>();
let outDir: string;

beforeAll(async () => {
  mkdirSync(CACHE, { recursive: true });
  outDir = mkdtempSync(join(CACHE, 'child-'));
  await promisify(execFile)(process.execPath, ['test/e2e/child/compile.mjs', outDir]);
}, 60_000);

afterEach(() => {
  for (const child of children) child.kill('SIGKILL');
  children.clear();
});

afterAll(() => rmSync(outDir, { recursive: true, force: true }));

interface Ending {
  readonly code: number | null;
  readonly signal: string | null;
}

/** A child application: what it said so far, and how it ended. */
function run(environment: Record<string, string>) {
  const child = spawn(process.execPath, [join(outDir, 'test/e2e/child/app.js')], {
    env: { ...process.env, REDIS_URL: url, GRACE_MS: '10000', WORK_MS: '400', ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.add(child);
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const ended = new Promise<Ending>((resolve) =>
    child.on('close', (code, signal) => resolve({ code, signal })),
  );
  const words = () => output.split('\n').filter((word) => word !== '');
  return { child, ended, words, said: (word: string) => eventually(() => words().includes(word)) };
}

/** A producer in this process beside a child that works. */
async function withChild(environment: Record<string, string>) {
  const prefix = freshPrefix();
  const root = options({ prefix, role: 'producer' });
  const producer = await start({ imports: [RedisQueueModule.forRoot(root)] });
  const queue = producer.get(QueueService).queue('child');
  const child = run({ PREFIX: prefix, ...environment });
  return { prefix, queue, ...child };
}

describe('SIGTERM', () => {
  it('with shutdown hooks: the running job ends with what it uses still there', async () => {
    const { queue, said, child, ended, words } = await withChild({ HOOKS: 'on' });
    await said('ready');
    const { id } = await queue.add('work', null);
    await said('started');
    child.kill('SIGTERM');
    expect(await ended).toEqual({ code: null, signal: 'SIGTERM' });
    expect(words()).toEqual(['ready', 'started', 'done', 'destroyed']);
    expect(await queue.get(id)).toMatchObject({ status: 'done', attempts: 1 });
  });

  it('with shutdown hooks, past the limit: the job goes back and no attempt is spent', async () => {
    const environment = { HOOKS: 'on', GRACE_MS: '100', WORK_MS: '60000' };
    const { queue, said, child, ended, words } = await withChild(environment);
    await said('ready');
    const { id } = await queue.add('work', null);
    await said('started');
    child.kill('SIGTERM');
    expect(await ended).toEqual({ code: null, signal: 'SIGTERM' });
    expect(words()).toEqual(['ready', 'started', 'destroyed']);
    expect(await queue.get(id)).toMatchObject({ status: 'pending', attempts: 0 });
  });

  it('without shutdown hooks: the process ends at once, and another takes over by lease', async () => {
    const { prefix, queue, said, child, ended, words } = await withChild({ WORK_MS: '60000' });
    await said('ready');
    const { id } = await queue.add('work', null);
    await said('started');
    child.kill('SIGTERM');
    expect(await ended).toEqual({ code: null, signal: 'SIGTERM' });
    expect(words()).toEqual(['ready', 'started']);
    expect(await queue.get(id)).toMatchObject({ status: 'running' });

    @Processor({ engine: 'jobs', queue: 'child' })
    class Successor {
      @Process('work') work(): void {}
    }
    await start({
      imports: [RedisQueueModule.forRoot(options({ prefix }))],
      providers: [Successor],
    });
    await eventually(async () => (await queue.get(id))?.status === 'done');
    expect(await queue.get(id)).toMatchObject({ attempts: 2, recoveries: 1 });
  });
});

describe('a process', () => {
  it('ends by itself after close', async () => {
    const { ended, words } = run({ PREFIX: freshPrefix(), SCENARIO: 'close' });
    expect(await ended).toEqual({ code: 0, signal: null });
    expect(words()).toEqual(['ready', 'destroyed', 'closed']);
  });

  it('ends by itself when its start fails after it has used a queue, and has claimed nothing', async () => {
    const { ended, words, queue } = await withChild({ SCENARIO: 'doomed' });
    expect(await ended).toEqual({ code: 0, signal: null });
    expect(words()).toEqual(['the database is not there']);
    expect(await queue.stats()).toMatchObject({ pending: 1, running: 0, done: 0 });
  });

  it('stays alive while its loops wait for work', async () => {
    const { queue, said, child } = await withChild({});
    await said('ready');
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(child.exitCode).toBeNull();
    await queue.add('work', null);
    await said('done');
  });
});
