// node test/bench/streams.mjs [cases] [runs]: ours and the bare loops take turns, each on a fresh server.
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { startRedis } from '../../scripts/redis.mjs';
import { quantile } from './measure.mjs';

const exec = promisify(execFile);
const BESIDE = ['add1', 'add100', 'bulk', 'drain10', 'drain50', 'drain100', 'mixed', 'latency'];
const ALONE = ['lateness', 'takeOver'];
const [cases = [...BESIDE, ...ALONE].join(','), runs = '3'] = process.argv.slice(2);

async function runOnce(peer, scenario) {
  const redis = await startRedis({});
  try {
    const one = fileURLToPath(new URL('streams.one.mjs', import.meta.url));
    const env = { ...process.env, REDIS_URL: redis.url };
    const { stdout } = await exec(process.execPath, [one, peer, scenario], {
      env,
      timeout: 120_000,
    });
    return JSON.parse(stdout.trim().split('\n').at(-1));
  } finally {
    await redis.stop();
  }
}

function median(results) {
  const of = (key) =>
    quantile(
      results.map((result) => result[key]),
      0.5,
    );
  return Object.fromEntries(Object.keys(results[0]).map((key) => [key, of(key)]));
}

for (const scenario of cases.split(',')) {
  const peers = ALONE.includes(scenario) ? ['ours'] : ['ours', 'bare', 'batched'];
  const results = Object.fromEntries(peers.map((peer) => [peer, []]));
  for (let i = 0; i < Number(runs); i++) {
    for (const peer of peers) results[peer].push(await runOnce(peer, scenario));
  }
  for (const peer of peers) console.log(scenario, peer, JSON.stringify(median(results[peer])));
  const key = scenario === 'latency' ? 'p50' : 'rate';
  for (const peer of peers.slice(1)) {
    const ratios = results.ours.map((result, i) => result[key] / results[peer][i][key]);
    console.log(scenario, `ours / ${peer} ${key}`, quantile(ratios, 0.5).toFixed(2));
  }
}
