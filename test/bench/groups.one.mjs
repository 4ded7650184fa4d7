// node test/bench/groups.one.mjs <peer> <case>: one run on the server of REDIS_URL, as one JSON line.
import { Redis } from 'ioredis';
import * as peers from './groups.peers.mjs';
import { between, payload, snapshot } from './measure.mjs';

const CONCURRENCY = 50;
const BATCH = 1_000;

async function publish(producer, groups, { from = 0, count }) {
  for (let at = from; at < from + count; at += BATCH) {
    const size = Math.min(BATCH, from + count - at);
    await producer.addMany(
      Array.from({ length: size }, (_, k) => ({
        group: `group-${(at + k) % groups}`,
        payload: payload(at + k),
      })),
    );
  }
}

/** `count` messages are measured out of `backlog`, which is the same for every peer. */
const drain = (groups, backlog, count) => async (peer, admin) => {
  const warm = Math.min(count / 4, backlog - count); // the rest stays: a drain's end is another matter
  await publish(await peer.produce(), groups, { count: backlog });
  let first;
  let seen = 0;
  await new Promise((resolve) => {
    const settled = () => {
      seen += 1;
      if (seen === warm) first = snapshot(admin);
      if (seen === warm + count) resolve();
    };
    void peer.consume({ concurrency: CONCURRENCY, handler: async () => {}, settled });
  });
  return between(await first, await snapshot(admin), count);
};

const bulk = (groups, count) => async (peer, admin) => {
  const producer = await peer.produce();
  await publish(producer, groups, { count: count / 4 });
  const before = await snapshot(admin);
  await publish(producer, groups, { from: count / 4, count });
  return between(before, await snapshot(admin), count);
};

const [name, scenario] = process.argv.slice(2);
const CASES = {
  drain1: drain(1, 30_000, 20_000),
  drain100: drain(100, 150_000, 100_000),
  // one message a group: every ack drains a group
  drain10000flat: drain(10_000, 11_000, 10_000),
  drain10000: drain(10_000, 200_000, 100_000),
  bulk: bulk(10_000, 100_000),
};
const url = process.env.REDIS_URL;
console.log(JSON.stringify(await CASES[scenario](peers[name](url), new Redis(url))));
process.exit(0);
