// The cases: each takes a peer's adapter, `{ produce(), consume({ concurrency, prefetch, handler,
// settled }) }`, and answers what it measured.
import { setTimeout as sleep } from 'node:timers/promises';
import { between, payload, quantile, round, snapshot } from './measure.mjs';

const batchOf = (from, count) => Array.from({ length: count }, (_, k) => payload(from + k));

async function fill(producer, count, batch = 1_000) {
  for (let at = 0; at < count; at += batch) {
    await producer.addMany(batchOf(at, Math.min(batch, count - at)));
  }
}

async function addAll(producer, count, inFlight) {
  let next = 0;
  const lane = async () => {
    while (next < count) await producer.add(payload(next++));
  };
  await Promise.all(Array.from({ length: inFlight }, lane));
}

/** Resolves with the snapshots at the `warm`-th and at the last settled job. */
function watchSettled(admin, { warm, total }) {
  let count = 0;
  let first;
  let settled;
  const done = new Promise((resolve) => {
    settled = () => {
      count++;
      if (count === warm) first = snapshot(admin);
      if (count === total) resolve();
    };
  });
  return { settled, both: done.then(async () => [await first, await snapshot(admin)]) };
}

const add = (inFlight, jobs) => async (peer, admin) => {
  const producer = await peer.produce();
  await addAll(producer, jobs / 5, inFlight);
  const before = await snapshot(admin);
  await addAll(producer, jobs, inFlight);
  return between(before, await snapshot(admin), jobs);
};

const bulk = (jobs) => async (peer, admin) => {
  const producer = await peer.produce();
  await fill(producer, jobs / 5);
  const before = await snapshot(admin);
  await fill(producer, jobs);
  return between(before, await snapshot(admin), jobs);
};

const drain =
  (concurrency, jobs, prefetch = 0) =>
  async (peer, admin) => {
    const warm = jobs / 4;
    await fill(await peer.produce(), jobs + warm);
    const { settled, both } = watchSettled(admin, { warm, total: jobs + warm });
    const handler = async () => {};
    await peer.consume({ concurrency, prefetch, handler, settled });
    const [a, b] = await both;
    return between(a, b, jobs);
  };

const mixed = (concurrency, jobs) => async (peer, admin) => {
  const warm = jobs / 4;
  const { settled, both } = watchSettled(admin, { warm, total: jobs + warm });
  await peer.consume({ concurrency, prefetch: 0, handler: async () => {}, settled });
  await addAll(await peer.produce(), jobs + warm, 100);
  const [a, b] = await both;
  return between(a, b, jobs);
};

const latency = (jobs) => async (peer) => {
  const producer = await peer.produce();
  let started;
  const handler = async () => started(performance.now());
  await peer.consume({ concurrency: 10, prefetch: 0, handler, settled: () => {} });
  await sleep(300);
  const waits = [];
  for (let i = 0; i < jobs; i++) {
    const start = new Promise((resolve) => (started = resolve));
    const at = performance.now();
    await Promise.all([producer.add(payload(i)), start.then((t) => waits.push(t - at))]);
    await sleep(4 + (i % 5));
  }
  const warm = waits.slice(jobs / 5);
  return { p50: round(quantile(warm, 0.5), 3), p99: round(quantile(warm, 0.99), 3) };
};

const memory = (jobs) => async (peer, admin) => {
  const producer = await peer.produce();
  await fill(producer, 100);
  const before = await snapshot(admin);
  await fill(producer, jobs);
  const full = await snapshot(admin);
  const { settled, both } = watchSettled(admin, { warm: 1, total: jobs + 100 });
  await peer.consume({ concurrency: 50, prefetch: 0, handler: async () => ({ ok: 1 }), settled });
  await both;
  await sleep(200);
  const after = await snapshot(admin);
  return {
    waitingBytes: Math.round((full.memory - before.memory) / jobs),
    doneBytes: Math.round((after.memory - before.memory) / jobs),
  };
};

/** Long enough for the compiler to settle: shorter runs measure how fast each peer's code warms up. */
export const SCENARIOS = {
  add1: add(1, 20_000),
  add100: add(100, 100_000),
  bulk: bulk(150_000),
  drain1: drain(1, 30_000),
  drain1prefetch10: drain(1, 80_000, 10),
  drain10: drain(10, 60_000),
  drain50: drain(50, 100_000),
  drain100: drain(100, 100_000),
  mixed: mixed(50, 80_000),
  latency: latency(400),
  memory: memory(30_000),
};
