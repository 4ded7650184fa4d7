import { ClaimLoop } from '../../../lib/worker/index.js';
import type { GroupMessage } from '../../../lib/groups/index.js';
import { RecordingLogger } from '../../contract/logs.js';
import { useGroups } from '../../engine/groups/groups-fixture.js';
import { useChildPrograms } from '../../support/child-programs.js';
import { eventually } from '../../support/eventually.js';
import type { ChildWorkerSetup } from './child/worker.js';

const GROUPS = Array.from({ length: 50 }, (_, n) => `g${n}`);
const EACH = [...Array(12).keys()];
const BATCH = 10;
/** How many of each batch were acked when its holder was killed. */
const ACKED = 3;
const LEASE_MS = 2_000;

const groups = useGroups('killed-batches');
const children = useChildPrograms('test/fault/groups/child');

/** A process that holds a batch of every group and never ends the message after the acked ones. */
async function startHolder() {
  const log = `${groups.prefix}:log:${groups.topic}`;
  const holder = children.run('worker', {
    url: groups.url,
    prefix: groups.prefix,
    topic: groups.topic,
    log,
    concurrency: GROUPS.length,
    leaseMs: LEASE_MS,
    groupBatch: BATCH,
    workMs: 0,
    holdFrom: ACKED,
  } satisfies ChildWorkerSetup);
  for (const group of GROUPS)
    await eventually(async () => (await groups.redis.llen(`${log}:${group}`)) === ACKED + 1);
  return holder;
}

/** What the heir runs, by group, and when each group came first. */
function startHeir() {
  const runs = new Map<string, { payload: unknown; attempt: number }[]>();
  const cameAt = new Map<string, number>();
  const target = { slots: GROUPS.length, leaseMs: LEASE_MS, groupBatch: BATCH, attempts: 5 };
  const loop = new ClaimLoop({
    name: groups.topic,
    source: groups.engine.source(groups.target(target)),
    handler: (message) => {
      const { group, payload, attempt } = message as GroupMessage;
      if (!cameAt.has(group)) cameAt.set(group, performance.now());
      runs.set(group, [...(runs.get(group) ?? []), { payload, attempt }]);
    },
    options: { concurrency: GROUPS.length, leaseMs: LEASE_MS },
    logger: new RecordingLogger(),
  });
  loop.start();
  return { loop, runs, cameAt };
}

test('a process is killed while it holds batches of 50 groups: the rest of each comes again, in order', async () => {
  for (const payload of EACH)
    await groups.transport.publishMany(GROUPS.map((group) => ({ group, payload })));
  const holder = await startHolder();
  const { loop, runs, cameAt } = startHeir();
  const left = GROUPS.length * (EACH.length - ACKED);
  await eventually(async () => (await groups.transport.depth()) === left);
  expect(runs.size).toBe(0);
  holder.kill('SIGKILL');
  await holder.ended;
  const killedAt = performance.now();
  await eventually(async () => (await groups.transport.depth()) === 0, { withinMs: 20_000 });
  await loop.drain(5_000);

  // only the message that was running when its process died has spent an attempt
  const expected = EACH.slice(ACKED).map((payload) => ({
    payload,
    attempt: payload === ACKED ? 2 : 1,
  }));
  for (const group of GROUPS) expect([group, runs.get(group)]).toEqual([group, expected]);
  for (const at of cameAt.values()) expect(at - killedAt).toBeLessThan(LEASE_MS + 3_000);
  expect(await groups.transport.deadLetters.count()).toBe(0);
}, 60_000);
