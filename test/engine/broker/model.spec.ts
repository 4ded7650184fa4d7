import type { BrokerQueue } from '../../../lib/broker/index.js';
import { BrokerModel } from './broker-model.js';
import { refusal, useBroker } from './broker-fixture.js';
import { randomSource } from './random-source.js';

const fixture = useBroker('broker-model');
const QUEUES = ['a', 'b', 'c', 'd'];
const STEPS = 250;
const SEEDS = [1, 20_261_129, 7_777_777, Number(process.hrtime.bigint() % 1_000_000_000n)];

type Batch = AsyncGenerator<{ readonly id: bigint }, void>;

describe('any sequence of verbs', () => {
  it.each(SEEDS)(
    'does what the model does, from the seed %p',
    async (seed) => {
      const random = randomSource(seed);
      const model = new BrokerModel();
      const broker = fixture.another({ autoVacuum: false });
      const batches: { readonly reading: Batch; readonly ids: bigint[]; readonly queue: string }[] =
        [];
      const any = () => random.pick(QUEUES);
      const queueOf = (name: string): BrokerQueue => broker.queue(name);

      const steps: (() => Promise<void>)[] = [
        async () => {
          const [name, body] = [any(), `body ${random.below(1_000)}`];
          model.write(name, await queueOf(name).write(body), body);
        },
        async () => {
          const [name, body, keepNewest] = [any(), 'kept', 1 + random.below(4)];
          const isRefused = model.wouldDisplaceReserved(name, keepNewest);
          if (isRefused) {
            const refused = await refusal(() => queueOf(name).write(body, { keepNewest }));
            expect(refused).toMatchObject({ code: 'RESERVED' });
          } else {
            model.write(name, await queueOf(name).write(body, { keepNewest }), body, keepNewest);
          }
        },
        async () => {
          const [name, id] = [any(), BigInt(1 + random.below(60))];
          const refused = await refusal(() => broker.insert([{ queue: name, id, body: 'exact' }]));
          expect(refused.code).toBe(model.has(id) ? 'INTEGRITY' : undefined);
          if (refused.code === undefined) model.write(name, id, 'exact');
        },
        async () => {
          const [name, limit] = [any(), 1 + random.below(3)];
          const order = random.pick(['oldest', 'newest'] as const);
          const found = await queueOf(name).readMany({ limit, order });
          expect(found.map(({ id }) => id)).toEqual(model.read(name, limit, order));
        },
        async () => {
          const [source, target, limit] = [any(), any(), 1 + random.below(3)];
          if (source === target) return;
          const requireUnclaimed = random.below(2) === 0;
          const moved = await queueOf(source).moveMany(target, { limit, requireUnclaimed });
          const expected = model.move(source, target, { limit, withClaimed: !requireUnclaimed });
          expect(moved.map(({ id }) => id)).toEqual(expected);
        },
        async () => {
          const reached = await broker.broadcast('all');
          model.broadcast(
            reached,
            await broker.listQueues(),
            await peekAll(broker.queue.bind(broker)),
          );
        },
        async () => {
          const name = any();
          const deleted = await refusal(() => queueOf(name).deleteAll());
          expect(deleted.code).toBe(model.isReserved(name) ? 'RESERVED' : undefined);
          if (deleted.code === undefined) model.deleteAll(name);
        },
        async () => {
          const [from, to] = [any(), any()];
          if (from === to) return;
          const { code } = await refusal(() => broker.rename(from, to));
          expect(code).toBe(model.rename(from, to));
        },
        async () => {
          const name = any();
          const reading: Batch = queueOf(name).readAll({
            guarantee: 'at-least-once',
            batchSize: 2,
          });
          const ids = model.reserve(name, 2);
          const first = await reading.next();
          expect(first.done === true ? [] : [first.value.id]).toEqual(ids.slice(0, 1));
          if (ids.length > 0) batches.push({ reading, ids, queue: name });
        },
        async () => {
          const batch = batches.shift();
          if (batch === undefined) return;
          await batch.reading.return();
          model.release(batch.queue, batch.ids);
        },
        async () => void (await broker.vacuum().then(() => model.vacuum())),
      ];

      for (let step = 0; step < STEPS; step++) {
        await random.pick(steps)();
        for (const name of QUEUES) {
          const found = await queueOf(name).peekMany({ includeClaimed: true });
          expect(found.map(({ id, state }) => `${id} ${state}`)).toEqual(model.rows(name));
        }
        expect((await broker.listQueues()).map(({ queue }) => queue)).toEqual(model.queues());
      }
      for (const { reading } of batches) await reading.return();
    },
    120_000,
  );

  /** The newest id of each queue, which a broadcast has just written. */
  const peekAll = async (queueOf: (name: string) => BrokerQueue): Promise<Map<string, bigint>> => {
    const newest = new Map<string, bigint>();
    for (const name of QUEUES) {
      const [message] = await queueOf(name).peekMany({ order: 'newest', limit: 1 });
      if (message !== undefined) newest.set(name, message.id);
    }
    return newest;
  };
});
