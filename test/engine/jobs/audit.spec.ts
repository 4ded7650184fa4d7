import { idsOf, useJobs } from './jobs-fixture.js';

const jobs = useJobs('audit');

/** Damages a sound queue by hand; answers whom it is about. */
type Damage = () => Promise<{ readonly problem: string; readonly subject: string }>;

const wrongPlace = 'job in a wrong place';
const noPlace = 'job in no place';
const noJob = 'entry without a job';
const outOfStep = 'type out of step with its pending set';
const noHolder = 'coalescing key without a waiting job';

const into = {
  pending: () => jobs.add(),
  scheduled: () => jobs.add({ delayMs: 3_600_000 }),
  running: async () => (await jobs.addAndTake()).id,
  done: async () => {
    const job = await jobs.addAndTake();
    await jobs.driver.ack(job, 1);
    return job.id;
  },
  failed: async () => {
    const job = await jobs.addAndTake();
    await jobs.driver.fail(job, 'x', { retry: false });
    return job.id;
  },
  cancelled: async () => {
    const id = await jobs.add();
    await jobs.driver.cancel(id);
    return id;
  },
};

const seqOf = async (id: string) =>
  String(await jobs.redis.hget(jobs.key('data'), id))
    .split(' ')[0]
    .padStart(16, '0');

const DAMAGES: Readonly<Record<string, Damage>> = {
  'a pending job in no set': async () => {
    const subject = await into.pending();
    await jobs.redis.del(jobs.key('pending', 'work'), jobs.key('types'));
    return { problem: noPlace, subject };
  },
  'a scheduled job in no set': async () => {
    const subject = await into.scheduled();
    await jobs.redis.del(jobs.key('scheduled'));
    return { problem: noPlace, subject };
  },
  'a running record with no entry': async () => {
    const subject = await into.running();
    await jobs.redis.del(jobs.key('running'));
    return { problem: noPlace, subject };
  },
  'a done record with no entry': async () => {
    const subject = await into.done();
    await jobs.redis.del(jobs.key('done'));
    return { problem: noPlace, subject };
  },
  'a failed record with no entry': async () => {
    const subject = await into.failed();
    await jobs.redis.del(jobs.key('failed'));
    return { problem: noPlace, subject };
  },
  'a cancelled record with no entry': async () => {
    const subject = await into.cancelled();
    await jobs.redis.del(jobs.key('cancelled'));
    return { problem: noPlace, subject };
  },
  'a done job that is pending, too': async () => {
    const subject = await into.done();
    await jobs.redis.zadd(jobs.key('pending', 'work'), 1, subject);
    await jobs.redis.zadd(jobs.key('types'), 1, 'work');
    return { problem: wrongPlace, subject };
  },
  'a running job that is done, too': async () => {
    const subject = await into.running();
    await jobs.redis.zadd(jobs.key('done'), 1, subject);
    return { problem: wrongPlace, subject };
  },
  'a failed job in the set of cancelled ones': async () => {
    const subject = await into.failed();
    await jobs.redis.rename(jobs.key('failed'), jobs.key('cancelled'));
    return { problem: wrongPlace, subject };
  },
  'a job pending under a type that it has not': async () => {
    const subject = await into.pending();
    await jobs.redis.zadd(jobs.key('pending', 'other'), 5, subject);
    await jobs.redis.zadd(jobs.key('types'), 5, 'other');
    return { problem: wrongPlace, subject };
  },
  'a job scheduled twice': async () => {
    const subject = await into.scheduled();
    await jobs.redis.zadd(jobs.key('scheduled'), 5e15, `${'9'.repeat(16)}${subject}`);
    return { problem: wrongPlace, subject };
  },
  'a pending job that is scheduled, too': async () => {
    const subject = await into.pending();
    await jobs.redis.zadd(jobs.key('scheduled'), 5e15, `${await seqOf(subject)}${subject}`);
    return { problem: wrongPlace, subject };
  },
  'a pending id without a record': async () => {
    await into.pending();
    await jobs.redis.zadd(jobs.key('pending', 'work'), 1e6, 'ghost');
    return { problem: noJob, subject: 'ghost' };
  },
  ...Object.fromEntries(
    (['running', 'done', 'failed', 'cancelled'] as const).map((set) => [
      `an entry of ${set} without a record`,
      async () => {
        await jobs.redis.zadd(jobs.key(set), 1e6, 'ghost');
        return { problem: noJob, subject: 'ghost' };
      },
    ]),
  ),
  'a scheduled entry without a record': async () => {
    await jobs.redis.zadd(jobs.key('scheduled'), 5e15, `${'0'.repeat(16)}ghost`);
    return { problem: noJob, subject: 'ghost' };
  },
  'a state without a record': async () => {
    await jobs.redis.hset(jobs.key('state'), 'ghost', 'd1|1|0|3|1|1|');
    return { problem: noJob, subject: 'ghost' };
  },
  'a result without a record': async () => {
    await jobs.redis.hset(jobs.key('result'), 'ghost', '=1');
    return { problem: noJob, subject: 'ghost' };
  },
  'a type that is not in the index of types': async () => {
    await into.pending();
    await jobs.redis.zrem(jobs.key('types'), 'work');
    return { problem: outOfStep, subject: 'work' };
  },
  'a type whose head is wrong': async () => {
    await into.pending();
    await jobs.redis.zadd(jobs.key('types'), 1e12, 'work');
    return { problem: outOfStep, subject: 'work' };
  },
  'a type without a pending job': async () => {
    await jobs.redis.zadd(jobs.key('types'), 1, 'empty');
    return { problem: outOfStep, subject: 'empty' };
  },
  'a coalescing key of a job that has ended': async () => {
    await jobs.redis.hset(jobs.key('holders'), 'key', await into.done());
    return { problem: noHolder, subject: 'key' };
  },
  'a coalescing key of nobody': async () => {
    await jobs.redis.hset(jobs.key('holders'), 'key', 'ghost');
    return { problem: noHolder, subject: 'key' };
  },
};

describe('audit', () => {
  test('finds nothing in a sound queue', async () => {
    expect(await jobs.driver.audit()).toEqual([]);
    for (const bring of Object.values(into)) await bring();
    await jobs.add({ coalesceBy: 'k', delayMs: 5_000 });
    expect(await jobs.driver.audit()).toEqual([]);
    const before = await jobs.snapshot();
    expect(await jobs.driver.audit({ repair: true })).toEqual([]);
    expect(await jobs.snapshot()).toEqual(before);
  });

  test.each(Object.entries(DAMAGES))('finds and mends %s', async (_, damage) => {
    const finding = await damage();
    const before = await jobs.snapshot();
    expect(await jobs.driver.audit()).toContainEqual(finding);
    expect(await jobs.snapshot()).toEqual(before); // looking changes nothing
    expect(await jobs.driver.audit({ repair: true })).toContainEqual(finding);
    expect(await jobs.driver.audit()).toEqual([]);
  });

  test('mends so that every job goes on from where its record stands', async () => {
    const pending = await into.pending();
    const scheduled = await into.scheduled();
    await jobs.redis.del(...['pending:work', 'types', 'scheduled'].map((key) => jobs.key(key)));
    await jobs.driver.audit({ repair: true });
    expect(idsOf(await jobs.take()).sort()).toEqual([pending, scheduled].sort());
    const [done, failed] = [await into.done(), await into.failed()];
    await jobs.redis.del(...['running', 'done', 'failed'].map((key) => jobs.key(key)));
    await jobs.driver.audit({ repair: true });
    expect((await jobs.driver.list({ status: 'done' })).jobs).toMatchObject([{ id: done }]);
    await jobs.driver.retry(failed);
    await jobs.upkeep();
    expect(idsOf(await jobs.take()).sort()).toEqual([pending, scheduled, failed].sort());
  });

  test('walks large queues in bounded steps', async () => {
    const list = Array.from({ length: 3_000 }, (_, n) => ({ type: `t${n % 9}`, payload: n }));
    await jobs.driver.enqueueMany(list);
    const ghosts = Array.from({ length: 700 }, (_, n) => [String(n), `ghost${n}`]).flat();
    await jobs.redis.zadd(jobs.key('done'), ...ghosts);
    const findings = await jobs.driver.audit({ repair: true });
    expect(new Set(findings.map(({ subject }) => subject)).size).toBe(700);
  });
});
