// npm run bench [-- --cases a,b --peers ours,bullmq --runs 5]: every run on a fresh server, peers in turn.
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { startRedis } from '../../scripts/redis.mjs';
import { install } from './install.mjs';
import { quantile } from './measure.mjs';
import { SCENARIOS } from './scenarios.mjs';

const exec = promisify(execFile);
const { values } = parseArgs({
  options: {
    cases: { type: 'string', default: Object.keys(SCENARIOS).join(',') },
    peers: { type: 'string', default: 'ours,bullmq,bee-queue' },
    runs: { type: 'string', default: '3' },
  },
});

async function runOnce(peer, scenario) {
  const redis = await startRedis();
  try {
    const one = fileURLToPath(new URL('run-one.mjs', import.meta.url));
    const { stdout } = await exec(process.execPath, [one, peer, scenario], {
      env: { ...process.env, REDIS_URL: redis.url },
      timeout: 120_000,
    });
    return JSON.parse(stdout.trim().split('\n').at(-1));
  } finally {
    await redis.stop();
  }
}

function medians(runs) {
  return Object.fromEntries(
    Object.keys(runs[0]).map((key) => [
      key,
      quantile(
        runs.map((run) => run[key]),
        0.5,
      ),
    ]),
  );
}

/** Ours divided by the peer's, key by key. */
function ratios(ours, theirs) {
  return Object.entries(ours)
    .filter(([key, value]) => key !== 'foreign' && theirs[key] && value)
    .map(([key, value]) => `${key} ${(value / theirs[key]).toFixed(2)}`)
    .join(', ');
}

install();
const peers = values.peers.split(',');
for (const scenario of values.cases.split(',')) {
  const runs = Object.fromEntries(peers.map((peer) => [peer, []]));
  for (let i = 0; i < Number(values.runs); i++) {
    for (const peer of peers) runs[peer].push(await runOnce(peer, scenario));
  }
  const results = Object.fromEntries(peers.map((peer) => [peer, medians(runs[peer])]));
  console.log(`\n${scenario}`);
  for (const peer of peers) {
    const beside = peer === 'ours' || !results.ours ? '' : `   ours / ${peer}: `;
    const ratio = beside && ratios(results.ours, results[peer]);
    console.log(`  ${peer.padEnd(10)} ${JSON.stringify(results[peer])}${beside}${ratio}`);
  }
}
