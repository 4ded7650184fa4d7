import { randomUUID } from 'node:crypto';
import type { ModuleMetadata } from '@nestjs/common';
import { Test, type TestingModule } from '@nestjs/testing';
import { Redis } from 'ioredis';
import { RedisQueueModule, type RedisQueueOptions } from '../../lib/index.js';

export const url = process.env.REDIS_URL!;

/** A key prefix of the test's own; its keys are deleted when the file is through. */
export function freshPrefix(): string {
  const prefix = `e2e-${randomUUID()}`;
  prefixes.add(prefix);
  return prefix;
}

const prefixes = new Set<string>();
const apps = new Set<TestingModule>();

afterEach(async () => {
  // Closing an application that did not start rejects on Nest 11, with the error of the start.
  await Promise.allSettled([...apps].map((app) => app.close()));
  apps.clear();
});

afterAll(async () => {
  const redis = new Redis(url);
  for (const prefix of prefixes) {
    const keys = await redis.keys(`${prefix}:*`);
    if (keys.length > 0) await redis.unlink(keys);
  }
  await redis.quit();
});

/** Options with a silent logger; `connection` and `prefix` may be overridden. */
export function options(more: Partial<RedisQueueOptions> = {}): RedisQueueOptions {
  return { connection: { url }, prefix: freshPrefix(), logger: new RecordingLogger(), ...more };
}

/** An application that is closed after the test; not started yet. */
export async function compile(metadata: ModuleMetadata): Promise<TestingModule> {
  const app = await Test.createTestingModule(metadata).setLogger(new RecordingLogger()).compile();
  apps.add(app);
  return app;
}

/** A started application that is closed after the test. */
export async function start(metadata: ModuleMetadata): Promise<TestingModule> {
  return (await compile(metadata)).init();
}

/** A started application with one `forRoot` and these providers. */
export function startWith(
  root: RedisQueueOptions,
  ...providers: NonNullable<ModuleMetadata['providers']>
): Promise<TestingModule> {
  return start({ imports: [RedisQueueModule.forRoot(root)], providers });
}

export class RecordingLogger {
  readonly lines: string[] = [];
  log(line: unknown): void {
    this.lines.push(String(line));
  }
  error(line: unknown): void {
    this.lines.push(`error: ${String(line)}`);
  }
  warn(line: unknown): void {
    this.lines.push(`warn: ${String(line)}`);
  }
  debug(): void {}
  fatal(): void {}
  verbose(): void {}
}

/** A promise that the test settles from outside. */
export class Signal<T = void> {
  resolve!: (value: T) => void;
  readonly promise = new Promise<T>((resolve) => {
    this.resolve = resolve;
  });
}

/** Waits until `check` holds, looking every few milliseconds. */
export async function eventually(check: () => unknown, withinMs = 15_000): Promise<void> {
  const end = Date.now() + withinMs;
  while (!(await check())) {
    if (Date.now() > end) throw new Error(`not within ${withinMs} ms: ${String(check)}`);
    await pause(10);
  }
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
