import type { ClaimedJob } from '../../../lib/jobs/index.js';
import { JOB_STATUSES } from '../../../lib/jobs/index.js';
import { idsOf, refusal, useJobs, type OpenQueue } from './jobs-fixture.js';
import { QueueModel } from './model.js';

const jobs = useJobs('model');

const STEPS = 220;
const TYPES = ['a', 'b', 'c:d', '{e}'];
const SEEDS = [1, 2, 3, 4, 5, Date.now() % 1_000_000];

/** Numbers from a seed, below `limit`. */
function randomFrom(seed: number): (limit: number) => number {
  let state = seed >>> 0;
  return (limit) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit;
  };
}

/** One random life of a queue, with two processes on it. */
class Life {
  readonly model = new QueueModel();
  /** Claims ever made: the stale ones are tried, too. */
  readonly claims: ClaimedJob[] = [];
  private readonly processes: OpenQueue[] = [jobs.process(), jobs.process({ promoteLimit: 3 })];
  private readonly random: (limit: number) => number;

  constructor(seed: number) {
    this.random = randomFrom(seed);
  }

  async step(): Promise<void> {
    const verbs = [
      () => this.enqueue(),
      () => this.enqueue(),
      () => this.dequeue(),
      () => this.dequeue(),
      () => this.settle('ack'),
      () => this.settle('fail'),
      () => this.settle('retry'),
      () => this.settle('release'),
      () => this.cancel(),
      () => this.retry(),
      () => this.recover(),
      () => this.upkeep(),
    ];
    await verbs[this.random(verbs.length)]();
  }

  private get driver() {
    return this.processes[this.random(2)].driver;
  }

  private pick<T>(list: readonly T[]): T | undefined {
    return list.length === 0 ? undefined : list[this.random(list.length)];
  }

  private async enqueue(): Promise<void> {
    const id = `job${this.model.jobs.length}`;
    const type = TYPES[this.random(TYPES.length)];
    const priority = this.random(5) - 2;
    const key = this.random(3) === 0 ? `key${this.random(4)}` : '';
    const maxAttempts = 1 + this.random(4);
    const isLater = this.random(4) === 0;
    const absorbedBy = this.model.absorber(key);
    const result = await this.driver.enqueue({
      ...{ id, type, priority, maxAttempts, payload: { id } },
      ...(key !== '' && { coalesceBy: key }),
      ...(isLater && { delayMs: 3_600_000 }),
    });
    if (absorbedBy !== undefined)
      return expect(result).toEqual({ id: absorbedBy, created: false, absorbedBy });
    expect(result).toEqual({ id, created: true });
    const status = isLater ? 'scheduled' : 'pending';
    this.model.add({ id, type, priority, key, maxAttempts, status });
  }

  private async dequeue(): Promise<void> {
    const types = this.random(2) === 0 ? undefined : TYPES.filter(() => this.random(2) === 0);
    const wanted = types?.length === 0 ? undefined : types; // no types: any
    const limit = 1 + this.random(5);
    const claimed = await this.driver.dequeue({
      waitMs: 0,
      limit,
      ...(wanted && { types: wanted }),
    });
    expect(idsOf(claimed)).toEqual(this.model.pending(wanted).slice(0, limit));
    for (const job of claimed) {
      this.model.claim(job);
      expect(job.attempt).toBe(this.model.get(job.id).attempts);
      expect(job.payload).toEqual({ id: job.id });
    }
    this.claims.push(...claimed);
  }

  private async settle(verb: 'ack' | 'fail' | 'retry' | 'release'): Promise<void> {
    const claim = this.pick(this.claims.slice(-12));
    if (claim === undefined) return;
    const job = this.model.get(claim.id);
    const delayMs = this.random(2) * 3_600_000;
    const driver = this.driver;
    const calls = {
      ack: () => driver.ack(claim, { by: claim.token }),
      fail: () => driver.fail(claim, 'no luck', { retry: false }),
      retry: () => driver.fail(claim, 'no luck', { retryInMs: delayMs }),
      release: () => driver.release(claim, { delayMs }),
    };
    if (job.status !== 'running' || job.token !== claim.token) {
      const { code } = await refusal(calls[verb]); // a repeat of the same verb succeeds
      return expect([undefined, 'LEASE_LOST']).toContain(code);
    }
    await calls[verb]();
    const waits = delayMs > 0 ? 'scheduled' : 'pending';
    job.status = verb === 'ack' ? 'done' : verb === 'fail' ? 'failed' : waits;
    if (verb === 'release') job.attempts--;
  }

  private async cancel(): Promise<void> {
    const job = this.pick(this.model.jobs);
    if (job === undefined) return;
    const isOpen = ['pending', 'scheduled', 'running'].includes(job.status);
    const { code } = await refusal(() => this.driver.cancel(job.id));
    expect(code).toBe(isOpen ? undefined : 'JOB_STATE');
    if (isOpen) job.status = 'cancelled';
  }

  private async retry(): Promise<void> {
    const job = this.pick(this.random(3) > 0 ? this.model.in('failed') : this.model.jobs);
    if (job === undefined) return;
    const { code } = await refusal(() => this.driver.retry(job.id));
    expect(code).toBe(job.status === 'failed' ? undefined : 'JOB_STATE');
    if (job.status === 'failed') Object.assign(job, { status: 'pending', recoveries: 0 });
  }

  private async recover(): Promise<void> {
    if (this.random(3) > 0) return;
    const isByLease = this.random(2) === 0;
    if (isByLease) await jobs.lapse();
    const options = isByLease ? {} : { olderThanMs: 0 };
    expect(await this.driver.recoverOrphans(options)).toBe(this.model.recover(3));
  }

  private async upkeep(): Promise<void> {
    await jobs.makeDue();
    if (this.random(2) === 0) return void (await this.driver.dequeue({ waitMs: 0, types: ['none'] }), this.model.promote()); // prettier-ignore
    const runs = this.processes.map(async ({ upkeep }) => {
      while ((await upkeep()).nextInMs === 0);
    });
    await Promise.all(runs);
    this.model.promote();
  }
}

/** The queue says what the model says. */
async function expectSame(model: QueueModel): Promise<void> {
  const { jobs: listed, total } = await jobs.driver.list({ limit: 500 });
  expect(total).toBe(model.jobs.length);
  expect(await jobs.driver.stats()).toMatchObject(model.stats());
  for (const status of JOB_STATUSES) {
    const ids = idsOf(listed.filter((job) => job.status === status));
    if (status === 'pending') expect(ids).toEqual(model.pending());
    else expect(ids.sort()).toEqual(idsOf(model.in(status)).sort());
  }
  const facts = (job: { id: string; attempts: number; recoveries: number }) =>
    `${job.id} ${job.attempts} ${job.recoveries}`;
  expect(listed.map(facts).sort()).toEqual(model.jobs.map(facts).sort());
}

test.each(SEEDS)('a random life agrees with the model, seed %d', async (seed) => {
  const life = new Life(seed);
  for (let step = 0; step < STEPS; step++) {
    try {
      await life.step();
      await expectSame(life.model);
    } catch (error) {
      throw new Error(`seed ${seed}, step ${step}: ${(error as Error).message}`, { cause: error });
    }
  }
  expect(await jobs.driver.audit()).toEqual([]);
  expect(life.claims.length).toBeGreaterThan(20);
});
