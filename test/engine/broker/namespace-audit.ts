import type { Redis } from 'ioredis';

const PARTS = ['pending', 'postponed', 'reserved', 'claimed', 'dead'] as const;

/** What contradicts itself in a namespace: its sets, tables and batches, looked at from all sides. */
export async function auditNamespace(redis: Redis, base: string): Promise<string[]> {
  if ((await redis.exists(`${base}:meta`)) === 0) return [];
  const problems: string[] = [];
  const bodies = new Set(await redis.hkeys(`${base}:bodies`));
  const placeOf = new Map<string, string>();
  const queues = new Set(await redis.smembers(`${base}:queues`));
  for (const queue of await queuesWithKeys(redis, base)) {
    if (!queues.has(queue)) problems.push(`${queue} has keys and is not registered`);
  }
  for (const queue of queues) {
    let count = 0;
    for (const part of PARTS) {
      for (const id of await redis.zrange(`${base}:q:${queue}:${part}`, '0', '-1')) {
        count++;
        if (placeOf.has(id))
          problems.push(`${id} is in ${placeOf.get(id)} and in ${queue} ${part}`);
        placeOf.set(id, `${queue} ${part}`);
        if (!bodies.has(id)) problems.push(`${id} in ${queue} ${part} has no body`);
      }
    }
    if (count === 0) problems.push(`${queue} is registered and empty`);
    problems.push(...(await leaseProblems(redis, base, queue)));
  }
  for (const id of bodies) if (!placeOf.has(id)) problems.push(`the body of ${id} is in no queue`);
  for (const id of await redis.hkeys(`${base}:runs`)) {
    if (!bodies.has(id)) problems.push(`the run of ${id} has no body`);
  }
  const last = (await redis.hget(`${base}:meta`, 'last')) ?? '';
  for (const id of bodies) if (id > last) problems.push(`${id} is above the last id`);
  problems.push(...(await batchProblems(redis, base, placeOf)));
  return problems;
}

/** A reserved row has a lease or a batch, a postponed one a due time, and others have none. */
async function leaseProblems(redis: Redis, base: string, queue: string): Promise<string[]> {
  const idsOf = async (part: string) => redis.zrange(`${base}:q:${queue}:${part}`, '0', '-1');
  const leases = await idsOf('leases');
  const [postponed, reserved] = await Promise.all([idsOf('postponed'), idsOf('reserved')]);
  const tokens = await redis.zrange(`${base}:batches`, '0', '-1');
  const inBatches = await Promise.all(
    tokens.map((one) => redis.smembers(`${base}:batch:${one}:ids`)),
  );
  const [leasable, due] = [new Set([...postponed, ...reserved]), new Set(leases)];
  const accounted = new Set([...leases, ...inBatches.flat()]);
  return [
    ...leases.filter((id) => !leasable.has(id)).map((id) => `${id} is leased, but not reserved`),
    ...postponed.filter((id) => !due.has(id)).map((id) => `${id} has no due time`),
    ...reserved.filter((id) => !accounted.has(id)).map((id) => `${id} is reserved by nobody`),
  ];
}

async function batchProblems(
  redis: Redis,
  base: string,
  placeOf: ReadonlyMap<string, string>,
): Promise<string[]> {
  const problems: string[] = [];
  for (const token of await redis.zrange(`${base}:batches`, '0', '-1')) {
    const meta = await redis.hgetall(`${base}:batch:${token}:meta`);
    if (meta.source === undefined) problems.push(`batch ${token} has no meta`);
    for (const id of await redis.smembers(`${base}:batch:${token}:ids`)) {
      if (placeOf.get(id) !== `${meta.source} reserved`) {
        problems.push(`${id} of batch ${token} is not reserved`);
      }
    }
  }
  return problems;
}

async function queuesWithKeys(redis: Redis, base: string): Promise<Set<string>> {
  const found = new Set<string>();
  let cursor = '0';
  do {
    const [next, keys] = await redis.scan(cursor, 'MATCH', `${base}:q:*`, 'COUNT', 1_000);
    for (const key of keys) found.add(key.slice(`${base}:q:`.length).split(':')[0]);
    cursor = next;
  } while (cursor !== '0');
  return found;
}
