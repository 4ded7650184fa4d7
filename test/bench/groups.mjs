// node test/bench/groups.mjs [cases] [runs]: the peers take turns, each on a fresh server. A case is
// drain<groups> (claim and ack at 50 handlers) or bulk (publishes).
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { startRedis } from '../../scripts/redis.mjs';
import { install } from './groups.peers.mjs';
import { quantile } from './measure.mjs';

const exec = promisify(execFile);
const ALL = ['drain1', 'drain100', 'drain10000flat', 'drain10000', 'bulk'];
const [cases = ALL.join(','), runs = '3'] = process.argv.slice(2);

/** What the ratios to GroupMQ have to reach. */
const TARGETS = {
  ours: { drain1: 2.5, drain100: 2.5, drain10000flat: 8, bulk: 3.5 },
  oursBatch20: { drain1: 15, drain10000: 30 },
};

async function runOnce(peer, scenario) {
  const redis = await startRedis({});
  try {
    const one = fileURLToPath(new URL('groups.one.mjs', import.meta.url));
    const env = { ...process.env, REDIS_URL: redis.url };
    const args = [one, peer, scenario];
    const { stdout } = await exec(process.execPath, args, { env, timeout: 180_000 });
    return JSON.parse(stdout.trim().split('\n').at(-1));
  } finally {
    await redis.stop();
  }
}

const median = (values) => quantile(values, 0.5);

function tell(scenario, results) {
  for (const [peer, runsOfPeer] of Object.entries(results)) {
    const of = (key) => median(runsOfPeer.map((run) => run[key]));
    console.log(
      `${scenario} ${peer}: ${of('rate')} a second, Redis / Node CPU a 10,000: ` +
        `${of('redisCpu')} / ${of('nodeCpu')} s, foreign load ${of('foreign')}`,
    );
  }
  for (const peer of ['ours', 'oursBatch20']) {
    for (const rival of ['groupmq', 'groupmqBare', 'jobs']) {
      if (!results[peer]) continue;
      const ratios = results[peer].map(({ rate }, at) => rate / results[rival][at].rate);
      const target = rival === 'groupmq' ? TARGETS[peer][scenario] : undefined;
      const wanted = target ? ` (to reach: ${target})` : '';
      console.log(`${scenario} ${peer} / ${rival}: ${median(ratios).toFixed(2)}${wanted}`);
    }
  }
}

install();
for (const scenario of cases.split(',')) {
  const peers = ['ours', 'groupmq', 'groupmqBare', 'jobs'];
  if (scenario !== 'bulk') peers.push('oursBatch20');
  const results = Object.fromEntries(peers.map((peer) => [peer, []]));
  for (let run = 0; run < Number(runs); run++) {
    for (const peer of peers) results[peer].push(await runOnce(peer, scenario));
  }
  tell(scenario, results);
}
