import { useJobs } from './jobs-fixture.js';

const jobs = useJobs('fences');

function expectToGrow(fences: readonly number[]): void {
  for (const [at, fence] of fences.entries()) {
    expect(Number.isSafeInteger(fence)).toBe(true);
    if (at > 0) expect(fence).toBeGreaterThan(fences[at - 1]);
  }
}

test('fences grow over the jobs and the claims of a queue', async () => {
  const fences: number[] = [];
  const other = jobs.process();
  for (let round = 0; round < 20; round++) {
    for (let n = 0; n < 4; n++) await jobs.add({ type: `t${n % 2}` });
    const held = await jobs.take({ limit: 3 });
    held.push(...(await other.driver.dequeue({ waitMs: 0 })));
    fences.push(...held.map(({ fence }) => fence));
    for (const job of held) await jobs.driver.fail(job, 'x', { retryInMs: 0 });
  }
  expectToGrow(fences);
});

test('the token names the claim, and the record shows its fence', async () => {
  const first = await jobs.addAndTake();
  await jobs.driver.release(first);
  const second = await jobs.takeOne();
  expect(second.fence).toBeGreaterThan(first.fence);
  expect(second.token).not.toBe(first.token);
  expect((await jobs.driver.get(second.id))?.fence).toBe(second.fence);
  await jobs.driver.ack(second);
  expect((await jobs.driver.get(second.id))?.fence).toBe(second.fence);
});

test('a recovered job still shows the fence of its last claim', async () => {
  const job = await jobs.addAndTake();
  await jobs.lapse();
  await jobs.upkeep();
  expect((await jobs.driver.get(job.id))?.fence).toBe(job.fence);
});

test('fences grow when the stored fence is lost', async () => {
  const fences: number[] = [];
  for (let round = 0; round < 10; round++) {
    fences.push((await jobs.addAndTake()).fence);
    await jobs.redis.hdel(jobs.key('meta'), 'fence');
  }
  expectToGrow(fences);
});

test('fences grow when all data is lost', async () => {
  const before = (await jobs.addAndTake()).fence;
  const keys = await jobs.keys();
  await jobs.redis.del(...keys.map((key) => jobs.key(key)));
  expect((await jobs.addAndTake()).fence).toBeGreaterThan(before);
});

test('fences grow when the clock of the server steps back', async () => {
  const ahead = ((await jobs.now()) + 3_600_000) * 1_000; // as a clock an hour ahead left it
  await jobs.redis.hset(jobs.key('meta'), 'fence', ahead);
  const first = await jobs.addAndTake();
  const second = await jobs.addAndTake();
  expectToGrow([ahead, first.fence, second.fence]);
  await jobs.driver.ack(first);
  await jobs.driver.ack(second);
});

test('an empty claim spends none', async () => {
  await jobs.take();
  expect(await jobs.snapshot()).toEqual({});
});
