import { Redis } from 'ioredis';
import { newId } from '../../lib/delivery/index.js';

/** The server that the global set-up started. */
export const REDIS_URL = process.env.REDIS_URL!;

/** A key prefix of this test file alone, and the way to leave no key behind. */
export interface TestPrefix {
  readonly prefix: string;
  /** All keys under the prefix, sorted. */
  readonly keys: () => Promise<string[]>;
  /** Deletes every key under the prefix; for `afterAll`. */
  readonly cleanUp: () => Promise<void>;
}

/** @param word names the test in keys, for whoever looks at a server after a failure */
export function testPrefix(word: string, url = REDIS_URL): TestPrefix {
  const prefix = `test-${word}-${newId()}`;
  const withClient = async <T>(work: (client: Redis) => Promise<T>): Promise<T> => {
    const client = new Redis(url);
    try {
      return await work(client);
    } finally {
      client.disconnect();
    }
  };
  return {
    prefix,
    keys: () => withClient((client) => keysUnder(client, prefix)),
    cleanUp: () =>
      withClient(async (client) => {
        const keys = await keysUnder(client, prefix);
        for (let at = 0; at < keys.length; at += 500) await client.unlink(keys.slice(at, at + 500));
      }),
  };
}

async function keysUnder(client: Redis, prefix: string): Promise<string[]> {
  const found = new Set<string>();
  let cursor = '0';
  do {
    const [next, keys] = await client.scan(cursor, 'MATCH', `${prefix}*`, 'COUNT', 1_000);
    for (const key of keys) found.add(key);
    cursor = next;
  } while (cursor !== '0');
  return [...found].sort();
}
