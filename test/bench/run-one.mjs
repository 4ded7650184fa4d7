// node test/bench/run-one.mjs <peer> <case>: one run on the server of REDIS_URL, as one JSON line.
import { Redis } from 'ioredis';
import { SCENARIOS } from './scenarios.mjs';

const [name, scenario] = process.argv.slice(2);
const { adapter } = await import(`./peers/${name}.mjs`);
const url = process.env.REDIS_URL;
const admin = new Redis(url);
console.log(JSON.stringify(await SCENARIOS[scenario](adapter(url), admin)));
process.exit(0);
