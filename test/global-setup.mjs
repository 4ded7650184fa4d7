import { startRedis } from '../scripts/redis.mjs';

export default async function globalSetup() {
  const redis = await startRedis();
  process.env.REDIS_URL = redis.url; // the workers inherit it
  globalThis.__REDIS__ = redis;
}
