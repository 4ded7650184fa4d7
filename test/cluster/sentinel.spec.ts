import { pause } from '../contract/waiting.js';
import { Worker } from '../fault/jobs/worker.js';
import { eventually } from '../support/eventually.js';
import { startSentinels, type SentinelSet } from './sentinels.js';

let set: SentinelSet;
let worker: Worker;

beforeAll(async () => {
  set = await startSentinels();
  const { sentinels, name } = set;
  worker = new Worker({
    connection: { sentinels: { sentinels, name } },
    prefix: 'test-sentinel',
    queue: 'work',
    handler: () => pause(5),
    limits: { connectTimeoutMs: 2_000, commandTimeoutMs: 2_000 },
  }).start();
}, 60_000);

afterAll(async () => {
  await worker.stop();
  await set.stop();
});

/** As a producer does that wants to be sure: the same id again until there is an answer. */
async function addInsisting(id: string): Promise<void> {
  await eventually(() => worker.driver.enqueue({ id, type: 'work', payload: null }), {
    withinMs: 30_000,
    everyMs: 100,
  });
}

async function isDone(id: string): Promise<boolean> {
  return (await worker.driver.get(id))?.status === 'done';
}

describe('a master that is killed while sentinels watch', () => {
  test('the loop and the producer go on at the new master within a bound', async () => {
    for (let n = 0; n < 20; n++) await addInsisting(`before-${n}`);
    await eventually(() => isDone('before-19'));
    await set.master.kill();
    const killedAt = performance.now();
    // light load all the while; what is answered after the failover was written to the new master
    for (let n = 0; n < 20; n++) await addInsisting(`after-${n}`);
    await eventually(() => isDone('after-19'));
    expect(performance.now() - killedAt).toBeLessThan(25_000);
    for (let n = 0; n < 20; n++) expect(await isDone(`after-${n}`)).toBe(true);
    const settled = { pending: 0, running: 0, failed: 0 };
    await eventually(
      async () => expect(await worker.driver.stats()).toMatchObject(settled) ?? true,
    );
    expect(await worker.driver.audit()).toEqual([]);
    expect(worker.logger.lines.length).toBeLessThan(25);
  }, 90_000);
});
