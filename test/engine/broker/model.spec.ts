import type { BrokerHolds, BrokerQueue, HoldOutcome } from '../../../lib/broker/index.js';
import { BrokerModel } from './broker-model.js';
import { refusal, useBroker } from './broker-fixture.js';
import type { ModelHold } from './held-model.js';
import { useHolder } from './holder.js';
import { randomSource } from './random-source.js';

const fixture = useBroker('broker-model');
const holder = useHolder(fixture, { autoVacuum: false });
const QUEUES = ['a', 'b', 'c', 'd'];
const LENGTH = 400;
const SEEDS = [1, 20_261_129, 7_777_777, Number(process.hrtime.bigint() % 1_000_000_000n)];
const VERBS: readonly HoldOutcome['verb'][] = ['ack', 'retry', 'fail', 'release'];
const AN_HOUR = 3_600_000;
const KEEP_DEAD = { count: 1_000, ageMs: 0 };

/** The steps, some of them more often than others. */
const KINDS = [
  ...(['write', 'write', 'keepNewest', 'insert', 'read', 'move', 'broadcast'] as const),
  ...(['deleteAll', 'deleteMany', 'rename', 'vacuum', 'begin', 'rollBack'] as const),
  ...(['hold', 'hold', 'settle', 'settle', 'settle', 'extend'] as const),
  ...(['lapse', 'upkeep', 'endDeadLetter'] as const),
] as const;

type Batch = AsyncGenerator<{ readonly id: bigint }, void>;

describe('any sequence of verbs', () => {
  it.each(SEEDS)(
    'does what the model does, from the seed %p',
    async (seed) => {
      const run = new Run(seed);
      for (let step = 0; step < LENGTH; step++) {
        await run.step();
        await run.compare();
      }
      await run.end();
    },
    120_000,
  );
});

/** The same steps on a namespace and on the model. */
class Run {
  private readonly random;
  private readonly model = new BrokerModel();
  private readonly batches: { reading: Batch; ids: readonly bigint[]; queue: string }[] = [];
  /** Claims that were ever made: what is over must not be settled again. */
  private readonly claims: ModelHold[] = [];

  constructor(seed: number) {
    this.random = randomSource(seed);
  }

  step(): Promise<void> {
    return this[this.random.pick(KINDS)]();
  }

  async compare(): Promise<void> {
    const { model } = this;
    for (const name of QUEUES) {
      const found = await this.queue(name).peekMany({ includeClaimed: true });
      expect(found.map(({ id, state }) => `${id} ${state}`)).toEqual(model.rows(name));
      expect(await this.queue(name).stats()).toMatchObject(model.counts(name));
      const letters = await this.holds.deadLetters(name, { offset: 0, limit: 500 });
      const dead = letters.map(({ id }) => id).sort((one, other) => (one < other ? -1 : 1));
      expect(dead).toEqual(model.deadLetters(name));
    }
    const listed = await holder.broker.listQueues();
    expect(listed.map(({ queue }) => queue)).toEqual(model.queues());
  }

  async end(): Promise<void> {
    for (const { reading } of this.batches) await reading.return();
  }

  private get holds(): BrokerHolds {
    return holder.backend.holds;
  }

  private queue(name: string): BrokerQueue {
    return holder.broker.queue(name);
  }

  private any(): string {
    return this.random.pick(QUEUES);
  }

  private async write(): Promise<void> {
    const name = this.any();
    this.model.write(name, await this.queue(name).write(`body ${this.random.below(1_000)}`));
  }

  private async keepNewest(): Promise<void> {
    const [name, keepNewest] = [this.any(), 1 + this.random.below(4)];
    const write = () => this.queue(name).write('kept', { keepNewest });
    if (this.model.wouldDisplaceReserved(name, keepNewest)) {
      expect(await refusal(write)).toMatchObject({ code: 'RESERVED' });
    } else {
      this.model.write(name, await write(), keepNewest);
    }
  }

  private async insert(): Promise<void> {
    const [queue, id] = [this.any(), BigInt(1 + this.random.below(60))];
    const { code } = await refusal(() => holder.broker.insert([{ queue, id, body: 'exact' }]));
    expect(code).toBe(this.model.has(id) ? 'INTEGRITY' : undefined);
    if (code === undefined) this.model.write(queue, id);
  }

  private async read(): Promise<void> {
    const [name, limit] = [this.any(), 1 + this.random.below(3)];
    const order = this.random.pick(['oldest', 'newest'] as const);
    const found = await this.queue(name).readMany({ limit, order });
    expect(found.map(({ id }) => id)).toEqual(this.model.read(name, limit, order));
  }

  private async move(): Promise<void> {
    const [source, target, limit] = [this.any(), this.any(), 1 + this.random.below(3)];
    if (source === target) return;
    const requireUnclaimed = this.random.below(2) === 0;
    const moved = await this.queue(source).moveMany(target, { limit, requireUnclaimed });
    const expected = this.model.move(source, target, { limit, withClaimed: !requireUnclaimed });
    expect(moved.map(({ id }) => id)).toEqual(expected);
  }

  private async broadcast(): Promise<void> {
    const reached = await holder.broker.broadcast('all');
    const newest = new Map<string, bigint>();
    for (const name of QUEUES) {
      const message = await this.queue(name).peek({ order: 'newest' });
      if (message !== null) newest.set(name, message.id);
    }
    this.model.broadcast(reached, await holder.broker.listQueues(), newest);
  }

  private async deleteAll(): Promise<void> {
    const name = this.any();
    const { code } = await refusal(() => this.queue(name).deleteAll());
    expect(code).toBe(this.model.isReserved(name) ? 'RESERVED' : undefined);
    if (code === undefined) this.model.deleteAll(name);
  }

  private async deleteMany(): Promise<void> {
    const name = this.any();
    const shown = await this.queue(name).peekMany({ includeClaimed: true });
    const ids = shown.map(({ id }) => id).filter(() => this.random.below(3) === 0);
    const deleting = this.queue(name).deleteMany([...ids, 99n]);
    const expected = this.model.deleteMany(name, ids);
    if (expected !== undefined) expect(await deleting).toBe(expected);
    else await expect(deleting).rejects.toMatchObject({ code: 'RESERVED' });
  }

  private async rename(): Promise<void> {
    const [from, to] = [this.any(), this.any()];
    if (from === to) return;
    const { code } = await refusal(() => holder.broker.rename(from, to));
    expect(code).toBe(this.model.rename(from, to));
  }

  private async vacuum(): Promise<void> {
    await holder.broker.vacuum();
    this.model.vacuum();
  }

  private async begin(): Promise<void> {
    const queue = this.any();
    const reading = this.queue(queue).readAll({ guarantee: 'at-least-once', batchSize: 2 });
    const ids = this.model.reserve(queue, 2);
    const first = await reading.next();
    expect(first.done === true ? [] : [first.value.id]).toEqual(ids.slice(0, 1));
    if (ids.length > 0) this.batches.push({ reading, ids, queue });
  }

  private async rollBack(): Promise<void> {
    const batch = this.batches.shift();
    if (batch === undefined) return;
    await batch.reading.return();
    this.model.release(batch.queue, batch.ids);
  }

  private hold(): Promise<void> {
    return this.exchange(this.any(), [], 1 + this.random.below(2));
  }

  /** Also claims that are over, and sometimes the next claim in the same step. */
  private async settle(): Promise<void> {
    if (this.claims.length === 0) return;
    const claim = this.random.pick(this.claims.slice(-8));
    const verb = this.random.pick(VERBS);
    const isAtOnce = verb === 'ack' || verb === 'fail' || this.random.below(2) === 0;
    const outcome = { verb, delayMs: isAtOnce ? 0 : AN_HOUR };
    await this.exchange(claim.queue, [{ ...outcome, claim }], this.random.below(2));
  }

  private async exchange(
    queue: string,
    settles: readonly (Pick<HoldOutcome, 'verb' | 'delayMs'> & { readonly claim: ModelHold })[],
    limit: number,
  ): Promise<void> {
    const terms = { limit, attempts: 1 + this.random.below(3) };
    const outcomes = settles.map(({ verb, delayMs, claim: { id, fence } }) => {
      return { verb, delayMs, id, fence, reason: 'a reason' };
    });
    const request = { queue, outcomes, ...terms, leaseMs: AN_HOUR, keepDead: KEEP_DEAD };
    const { codes, rows } = await this.holds.settle(request);
    expect(codes).toEqual(settles.map((one) => this.model.settle(one.claim, one)));
    if (limit === 0) return;
    const fences = rows.map(({ fence }) => fence);
    const taken = rows.map(({ id, attempt }) => ({ id, attempt }));
    expect(taken).toEqual(this.model.hold(queue, fences, terms));
    this.claims.push(...rows.map(({ id, fence }) => ({ queue, id, fence })));
  }

  private async extend(): Promise<void> {
    if (this.claims.length === 0) return;
    const claim = this.random.pick(this.claims.slice(-8));
    const extended = await this.holds.extend(claim.queue, [claim], AN_HOUR);
    expect(extended).toEqual([this.model.extend(claim)]);
  }

  private async lapse(): Promise<void> {
    const name = this.any();
    await fixture.lapse(name);
    this.model.lapse(name);
  }

  private async upkeep(): Promise<void> {
    const name = this.any();
    await this.holds.upkeep(name, KEEP_DEAD);
    this.model.recover(name);
  }

  private async endDeadLetter(): Promise<void> {
    const name = this.any();
    const [verb, ids] = [
      this.random.pick(['redrive', 'drop'] as const),
      this.model.deadLetters(name),
    ];
    const id = ids.length > 0 ? this.random.pick(ids) : 99n;
    const ended = await this.holds.endDeadLetter(verb, name, id);
    expect(ended).toBe(this.model.endDeadLetter(verb, name, id));
  }
}
