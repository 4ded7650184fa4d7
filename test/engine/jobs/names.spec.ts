import { idsOf, useJobs } from './jobs-fixture.js';

const jobs = useJobs('names');

const STRANGE = [
  'a:b',
  'a',
  'b',
  ':',
  '123',
  '0',
  ' ',
  '  ',
  ' a',
  '1 2 3',
  '|',
  '+5|0 0 x',
  '{tag}',
  '{',
  '}',
  '{}',
  '%7B',
  '%257B',
  '%',
  '%0',
  'constructor',
  '__proto__',
  'toString',
  'undefined',
  'null',
  'pending',
  'signal:a',
  '~',
  'x'.repeat(300),
  'x'.repeat(512),
  '😀',
  'é',
  'e\u0301',
  '\u2028',
  'ａ',
];

test('strange types and ids go through all verbs, and no two collide', async () => {
  for (const name of STRANGE)
    expect(await jobs.driver.enqueue({ type: name, id: name, payload: name })).toEqual({
      id: name,
      created: true,
    });
  expect(await jobs.driver.stats()).toMatchObject({ pending: STRANGE.length });
  for (const name of STRANGE) {
    expect(await jobs.driver.get(name)).toMatchObject({ id: name, type: name, payload: name });
    const { jobs: listed, total } = await jobs.driver.list({ status: 'pending', type: name });
    expect([idsOf(listed), total]).toEqual([[name], 1]);
  }
  for (const name of [...STRANGE].reverse()) {
    const taken = await jobs.take({ types: [name] });
    expect(taken).toMatchObject([{ id: name, type: name, name, payload: name }]);
    expect(await jobs.driver.extend(taken)).toEqual(['extended']);
    await jobs.driver.fail(taken[0], name, { retry: false });
    expect((await jobs.driver.get(name))?.lastError).toBe(name);
    expect((await jobs.driver.list({ status: 'failed', type: name })).total).toBe(1);
    await jobs.driver.retry(name);
    await jobs.driver.release(await jobs.takeOne({ types: [name] }), { delayMs: 60_000 });
    expect((await jobs.driver.get(name))?.status).toBe('scheduled');
    await jobs.driver.cancel(name);
  }
  expect(await jobs.driver.stats()).toMatchObject({ cancelled: STRANGE.length, pending: 0 });
});

test('strange ids come due, run and end', async () => {
  const notBefore = (await jobs.now()) + 60_000;
  for (const id of STRANGE) await jobs.add({ id, notBefore });
  expect(idsOf((await jobs.driver.list({ status: 'scheduled' })).jobs)).toEqual(STRANGE);
  await jobs.makeDue();
  const taken = await jobs.take();
  expect(idsOf(taken)).toEqual(STRANGE);
  await jobs.lapse();
  await jobs.upkeep();
  const again = await jobs.take();
  expect(idsOf(again)).toEqual(STRANGE);
  for (const job of again) await jobs.driver.ack(job, job.id);
  for (const id of STRANGE) expect((await jobs.driver.get(id))?.result).toBe(id);
});

test('strange coalescing keys are kept apart', async () => {
  for (const key of STRANGE)
    expect(await jobs.driver.enqueue({ type: 'a', payload: 0, coalesceBy: key })).toMatchObject({
      created: true,
    });
  for (const key of STRANGE) {
    const absorbed = await jobs.driver.enqueue({ type: 'a', payload: 0, coalesceBy: key });
    expect(absorbed.created).toBe(false);
    expect((await jobs.driver.get(absorbed.id))?.coalesceBy).toBe(key);
  }
});

test('strange queues share no key', async () => {
  const { queue } = jobs;
  const prefixed = STRANGE.filter((name) => name.length < 300).map((name) => queue + name);
  const names = [...prefixed, `${queue}a`, `${queue}%7Ba`, `${queue}{a`];
  const queues = new Map([...new Set(names)].map((name) => [name, jobs.driver.queue(name)]));
  for (const [name, driver] of queues)
    await driver.enqueue({ type: 'a', id: 'same', payload: name, coalesceBy: 'same' });
  for (const [name, driver] of queues) {
    const taken = await driver.dequeue({ waitMs: 0, limit: 10 });
    expect(taken).toMatchObject([{ id: 'same', payload: name, queue: name }]);
    await driver.ack(taken[0]);
    expect(await driver.audit()).toEqual([]);
  }
});

test('a queue and an id do not collide with another queue and another id', async () => {
  const one = jobs.driver.queue(`${jobs.queue}a`);
  const other = jobs.driver.queue(`${jobs.queue}a:data`);
  await one.enqueue({ type: 'data:x', id: 'data:x', payload: 1 });
  expect(await other.get('x')).toBe(null);
  expect(await other.stats()).toMatchObject({ pending: 0 });
});

test('every key of a queue stands in one hash slot', async () => {
  await jobs.add({ type: '{x}', coalesceBy: '}{', delayMs: 5 });
  await jobs.add({ type: '}y{' });
  await jobs.driver.recordEvents(true);
  await jobs.driver.fail(await jobs.takeOne(), 'x', { retry: false });
  const keys = (await jobs.keys()).map((key) => (key === '' ? jobs.key() : jobs.key(key)));
  const tags = keys.map((key) => /\{([^}]*)\}/.exec(key)?.[1]); // what Redis Cluster hashes
  expect(new Set(tags)).toEqual(new Set([jobs.queue]));
  expect(keys.length).toBeGreaterThan(5);
});
