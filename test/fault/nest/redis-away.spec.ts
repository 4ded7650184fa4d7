import { JobDriver } from '../../../lib/index.js';
import { RecordingLogger } from '../../contract/logs.js';
import { useChildPrograms } from '../../support/child-programs.js';
import { eventually } from '../../support/eventually.js';
import { freePort, startServer, type TestServer } from '../../support/redis-server.js';
import type { ChildAppSetup } from './child/app.js';

const GRACE_MS = 3_000;

const children = useChildPrograms('test/fault/nest/child');
const servers: TestServer[] = [];
const drivers: JobDriver[] = [];

afterEach(async () => {
  await Promise.all(drivers.splice(0).map((driver) => driver.close()));
  await Promise.all(servers.splice(0).map((server) => server.stop()));
});

function startApp(port: number, more: Partial<ChildAppSetup> = {}) {
  const url = `redis://127.0.0.1:${port}`;
  return children.run('app', { url, prefix: 'away', graceMs: GRACE_MS, workMs: 10, ...more });
}

async function openServer(port: number): Promise<TestServer> {
  const server = await startServer({ port, appendonly: true });
  servers.push(server);
  return server;
}

function openDriver({ url }: TestServer): JobDriver {
  const logger = new RecordingLogger();
  const options = { connectTimeoutMs: 20_000, prefix: 'away', queue: 'work', promoter: false };
  const driver = new JobDriver({ connection: { url }, logger, ...options });
  drivers.push(driver);
  return driver;
}

/** Milliseconds until the child has ended, and how. */
async function ending(child: ReturnType<typeof startApp>) {
  const begun = performance.now();
  const ended = await child.ended;
  return { ...ended, afterMs: performance.now() - begun };
}

describe('an application that starts without Redis', () => {
  test('is there, refuses to enqueue in time, and works once Redis comes', async () => {
    const port = await freePort();
    const child = startApp(port, { enqueues: true });
    await child.said('ready');
    await child.said('enqueue NotConnectedError in time');
    const driver = openDriver(await openServer(port));
    const { id } = await driver.enqueue({ type: 'any', payload: 1 });
    await child.said(`end ${id}`);
    await eventually(async () => (await driver.stats()).done === 1);
    child.kill('SIGTERM');
    expect(await child.ended).toEqual({ code: null, signal: 'SIGTERM' });
    expect(child.words().filter((word) => word.startsWith('begin'))).toEqual([`begin ${id}`]);
  });

  test('closes within its limits and ends by itself', async () => {
    const closing = startApp(await freePort(), { closeAfterMs: 300, enqueues: true });
    const stopped = startApp(await freePort());
    await stopped.said('ready');
    stopped.kill('SIGTERM');
    const { afterMs, ...ended } = await ending(stopped);
    expect(ended).toEqual({ code: null, signal: 'SIGTERM' });
    expect(afterMs).toBeLessThan(GRACE_MS + 6_000);
    expect(await closing.ended).toEqual({ code: 0, signal: null });
    expect(closing.words()).toContain('closed');
  });
});

describe('a Redis that goes away while the application closes', () => {
  test.each([
    ['comes back within the grace: the running job is done', 1_000, 15_000, 'done'],
    ['stays away: the job is left to its lease', null, 1_000, 'running'],
  ] as const)('and %s', async (_, backAfterMs, leaseMs, status) => {
    const first = await openServer(await freePort());
    const child = startApp(first.port, { workMs: 500, leaseMs });
    const driver = openDriver(first);
    const { id } = await driver.enqueue({ type: 'any', payload: 1 });
    await child.said(`begin ${id}`);
    child.kill('SIGTERM');
    await first.kill();
    const closing = ending(child);
    if (backAfterMs !== null) await new Promise((resolve) => setTimeout(resolve, backAfterMs));
    else await closing;
    servers.splice(0, 1, await first.restart());
    const { signal, afterMs } = await closing;
    expect(signal).toBe('SIGTERM');
    expect(afterMs).toBeLessThan(GRACE_MS + 6_000);
    expect(await driver.get(id)).toMatchObject({ status, attempts: 1 });
    if (status === 'done') return;
    await eventually(async () => (await driver.recoverOrphans()) === 1);
    expect(await driver.get(id)).toMatchObject({ status: 'pending', recoveries: 1 });
  });
});
