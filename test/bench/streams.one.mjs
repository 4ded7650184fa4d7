// node test/bench/streams.one.mjs <ours|bare> <case>: one run on the server of REDIS_URL, as one JSON line.
import { Redis } from 'ioredis';
import { SCENARIOS } from './scenarios.mjs';
import * as peers from './streams.peers.mjs';
import { lateness, takeOver } from './streams.times.mjs';

const [name, scenario] = process.argv.slice(2);
const run = { ...SCENARIOS, lateness, takeOver }[scenario];
const url = process.env.REDIS_URL;
console.log(JSON.stringify(await run(peers[name](url), new Redis(url))));
process.exit(0);
