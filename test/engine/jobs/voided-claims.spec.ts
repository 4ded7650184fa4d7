import { CancelledError, LeaseLostError } from '../../../lib/errors/index.js';
import type { Delivery } from '../../../lib/contract/index.js';
import { ClaimLoop } from '../../../lib/worker/index.js';
import { RecordingLogger } from '../../contract/logs.js';
import { eventually } from '../../support/eventually.js';
import { useJobs, type OpenQueue } from './jobs-fixture.js';

const jobs = useJobs('voided');

/** Claims in a process of its own, as a loop does; answers the deliveries and who was revoked. */
async function hold(count: number, process: OpenQueue = jobs.process()) {
  const target = { queue: jobs.queue, slots: count, leaseMs: 30_000, attempts: 100 };
  const source = process.engine.source(target);
  const held: Delivery[] = [];
  const signal = new AbortController().signal;
  while (held.length < count)
    held.push(...(await source.claim({ limit: count - held.length, signal })));
  const reasons = new Map<string, Error>();
  for (const delivery of held)
    delivery.onRevoked((reason) => reasons.set(delivery.message.id, reason));
  return { held, reasons, source, process };
}

test('upkeep tells a holder that its job was cancelled elsewhere', async () => {
  await jobs.add();
  const { held, reasons, process } = await hold(1);
  await process.upkeep();
  expect(reasons.size).toBe(0);
  await jobs.driver.cancel(held[0].message.id);
  await process.upkeep();
  expect(reasons.get(held[0].message.id)).toBeInstanceOf(CancelledError);
});

test('upkeep tells a holder that its job was recovered elsewhere', async () => {
  await jobs.add();
  const { held, reasons, process } = await hold(1);
  await jobs.driver.recoverOrphans({ olderThanMs: 0 });
  await process.upkeep();
  expect(reasons.get(held[0].message.id)).toBeInstanceOf(LeaseLostError);
});

test('a new claim of the same job is not taken for the old one', async () => {
  await jobs.add();
  const first = await hold(1);
  await jobs.driver.recoverOrphans({ olderThanMs: 0 });
  const second = await hold(1, first.process);
  await first.process.upkeep();
  expect([first.reasons.size, second.reasons.size]).toEqual([1, 0]);
  await second.held[0].ack();
});

test.each([1, 500, 1_000])('every one of %d holders hears of it', async (count) => {
  const list = Array.from({ length: count }, (_, n) => ({ type: 'a', payload: n, maxAttempts: 9 }));
  await jobs.driver.enqueueMany(list);
  const { reasons, process } = await hold(count);
  const last = await jobs.add();
  const other = await hold(1, process);
  expect(other.held[0].message.id).toBe(last);
  await jobs.process({ promoteLimit: 500 }).driver.recoverOrphans({ olderThanMs: 0 });
  for (let n = 0; n < 4; n++) await process.upkeep();
  expect(reasons.size).toBe(count);
  expect(other.reasons.size).toBe(1);
});

test('a process that lost its jobs has no further reason to look often', async () => {
  await jobs.add({ maxAttempts: 1 });
  const { process } = await hold(1);
  expect((await process.upkeep()).nextInMs).toBeLessThanOrEqual(500);
  await jobs.driver.recoverOrphans({ olderThanMs: 0 });
  await process.upkeep();
  expect((await process.upkeep()).nextInMs).toBe(Infinity);
});

test('what was told is forgotten after a minute', async () => {
  await jobs.driver.cancel((await jobs.addAndTake()).id);
  expect(await jobs.redis.zcard(jobs.key('revoked'))).toBe(1);
  await jobs.upkeep();
  expect(await jobs.redis.zcard(jobs.key('revoked'))).toBe(1);
  await jobs.backdate('revoked', (await jobs.now()) - 60_001);
  await jobs.upkeep();
  expect(await jobs.redis.exists(jobs.key('revoked'))).toBe(0);
});

describe('a handler whose job is cancelled', () => {
  const endings = {
    'heeds its signal': (signal: AbortSignal) => signal.throwIfAborted(),
    'returns late': () => 'late',
    throws: () => {
      throw new Error('late');
    },
  };
  test.each(Object.entries(endings))('ends cancelled, when it %s', async (_, end) => {
    const process = jobs.process();
    const target = { queue: jobs.queue, slots: 1, leaseMs: 30_000, attempts: 5 };
    const logger = new RecordingLogger();
    let runs = 0;
    const loop = new ClaimLoop({
      name: 'cancelled',
      source: process.engine.source(target),
      logger,
      handler: async (__, { signal }) => {
        runs++;
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        return end(signal);
      },
    });
    loop.start();
    try {
      const id = await jobs.add({ maxAttempts: 5, coalesceBy: 'k' });
      await eventually(() => runs === 1);
      await jobs.driver.cancel(id);
      await process.upkeep();
      const next = await jobs.driver.enqueue({ type: 'work', payload: 0, coalesceBy: 'k' });
      expect(next.created).toBe(true);
      await eventually(() => runs === 2); // the slot is free
      expect(await jobs.driver.get(id)).toMatchObject({ status: 'cancelled', lastError: null });
      await jobs.driver.cancel(next.id);
      await process.upkeep();
    } finally {
      await loop.drain(1_000);
    }
    expect(runs).toBe(2);
  });
});
