import type { Redis } from 'ioredis';
import type { EngineLoop } from '../support/engine-loops.js';
import { eventually } from '../support/eventually.js';

const BEFORE = 24;
const ALL = 48;

/** What happens to the loops of one master, and who serves them after it. */
export interface Failover {
  /** Ends the master for good, with no warning. */
  readonly kill: () => Promise<void>;
  /** The replica that takes its place. */
  readonly heir: Redis;
  /** How long it may take until everything goes on. */
  readonly withinMs: number;
}

/**
 * Kills the master of started loops while they are idle and asks of the heir what is promised:
 * loops and producers go on, what is answered from then on runs, in order where there is one.
 * Since replicas lag behind, what a master has answered may run again; so no number of runs.
 */
export async function expectToGoOn(
  loops: readonly EngineLoop[],
  { kill, heir, withinMs }: Failover,
): Promise<void> {
  await Promise.all(loops.map((loop) => produceInsisting(loop, 0, BEFORE)));
  for (const loop of loops) await loop.untilSettled(BEFORE);
  await kill();
  const killedAt = performance.now();
  // light load all the while; what is answered now was written to the heir, when it was the master
  await Promise.all(loops.map((loop) => produceInsisting(loop, BEFORE, ALL)));
  for (const loop of loops) await loop.untilRan(ALL);
  expect(performance.now() - killedAt).toBeLessThan(withinMs);
  for (const loop of loops) {
    await loop.untilSettled(ALL);
    expect(await loop.audit(heir)).toEqual([]);
    if (loop.name === 'groups') expect(loop.late()).toEqual([]);
    expect(loop.logger.lines.length).toBeLessThan(25);
  }
}

/** As a producer does that wants to be sure: each again until there is an answer. */
async function produceInsisting(loop: EngineLoop, from: number, to: number): Promise<void> {
  for (let number = from; number < to; number++)
    await eventually(() => loop.produce(number), { withinMs: 30_000, everyMs: 100 });
}
