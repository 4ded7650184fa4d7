import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { eventually } from '../../support/eventually.js';
import { startServer } from '../../support/redis-server.js';

/** Runs a module text in a process of its own, in the root folder. */
function run(code: string) {
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  return { child, ended };
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

describe('a throw-away server', () => {
  test.each(['SIGTERM', 'SIGKILL'] as const)('dies with its parent, by %s', async (signal) => {
    const { child, ended } = run(`
      import { startServer } from './scripts/redis.mjs';
      const { pid, dir } = await startServer();
      console.log(JSON.stringify({ pid, dir }));
      setInterval(() => {}, 1000);
    `);
    const line = await new Promise<string>((resolve) =>
      child.stdout.once('data', (data) => resolve(String(data))),
    );
    const { pid, dir } = JSON.parse(line) as { pid: number; dir: string };
    expect(isAlive(pid)).toBe(true);
    child.kill(signal);
    await ended;
    await eventually(() => !isAlive(pid) && !existsSync(dir));
  });

  test('does not keep its parent alive', async () => {
    const { ended } = run(`
      import { startServer } from './scripts/redis.mjs';
      await startServer();
    `);
    await ended;
  });

  test('keeps its port and what was written over a crash', async () => {
    const first = await startServer({ appendonly: true });
    await first.kill();
    const second = await first.restart();
    expect(second.url).toBe(first.url);
    await second.stop();
    expect(existsSync(first.dir)).toBe(false);
  });
});
