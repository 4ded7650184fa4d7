// How late delayed messages are, and how long those of a dead consumer take to find another.
import { setTimeout as sleep } from 'node:timers/promises';
import { quantile, round } from './measure.mjs';

const MESSAGES = 300;
const LEASE_MS = 1_000;

/** Milliseconds from the due time, by the producer's clock, to the start of the handler. */
export async function lateness(peer) {
  const producer = await peer.produce();
  const due = new Map();
  const late = [];
  const handler = async (message) => late.push(performance.now() - due.get(message.payload));
  await peer.consume({ concurrency: 10, prefetch: 0, handler, settled: () => {} });
  await sleep(200);
  for (let i = 0; i < MESSAGES; i++) {
    const delayMs = 50 + ((i * 37) % 400);
    due.set(i, performance.now() + delayMs);
    await producer.add(i, { delayMs });
    await sleep(5);
  }
  while (late.length < MESSAGES) await sleep(20);
  return { p50: round(quantile(late, 0.5), 2), p99: round(quantile(late, 0.99), 2) };
}

/** Milliseconds beyond the lease until the last entry of a silent consumer runs elsewhere. */
export async function takeOver(peer, admin) {
  const producer = await peer.produce();
  await producer.addMany(Array.from({ length: 500 }, (_, i) => i));
  const [key, group] = ['bench:streams:{bench}:stream', 'default'];
  await admin.xgroup('CREATE', key, group, '0').catch(() => undefined);
  await admin.xreadgroup('GROUP', group, 'dead', 'COUNT', 500, 'STREAMS', key, '>');
  const died = performance.now();
  let count = 0;
  const done = new Promise((resolve) => {
    const settled = () => ++count === 500 && resolve();
    void peer.consume({
      concurrency: 50,
      prefetch: 0,
      handler: async () => {},
      settled,
      leaseMs: LEASE_MS,
    });
  });
  await done;
  return { beyondLease: round(performance.now() - died - LEASE_MS, 0) };
}
