import type { BrokerBackend, BrokerQueue } from '../../../lib/broker/index.js';
import { BatchOpenError, CommandTimeoutError } from '../../../lib/errors/index.js';
import { eventually } from '../../support/eventually.js';
import { brokerOn } from './stand-in-backend.js';

const rows = [1n, 2n].map((id) => ({ id, body: Buffer.from(`m${id}`) }));
const batch = { token: 't', queue: 'q', createdAt: 7n, rows };
const away = new CommandTimeoutError('no answer');
const atLeastOnce = { guarantee: 'at-least-once' } as const;

/** A broker whose roll-backs fail so often, and whose commits fail if told so; what was tried. */
function brokerThatFails(times: number, { isCommitting = true } = {}) {
  const tried: string[] = [];
  let left = times;
  const primitives: Partial<BrokerBackend> = {
    beginBatch: () => Promise.resolve(batch),
    endBatch: (verb) => {
      tried.push(verb);
      if (verb === 'commit') return isCommitting ? Promise.resolve(2) : Promise.reject(away);
      return left-- > 0 ? Promise.reject(away) : Promise.resolve(2);
    },
    read: () => Promise.resolve({ queue: 'q', rows: [] }),
    move: () => Promise.resolve({ queue: 'r', rows: [] }),
    deleteRows: () => Promise.resolve(1),
    write: () => Promise.resolve(9n),
    writeNewest: () => Promise.resolve(9n),
    deleteQueues: () => Promise.resolve(0),
    stats: () => Promise.resolve({ exists: false } as never),
    holds: { endDeadLetter: () => Promise.resolve(true) } as never,
  };
  return { ...brokerOn(primitives), tried };
}

/** A generator that was ended while its batch could not be given back. */
async function endedInVain(queue: BrokerQueue<unknown>) {
  const reading = queue.readAll(atLeastOnce);
  await reading.next();
  await expect(reading.return()).rejects.toBe(away);
  return reading;
}

const MUTATIONS: readonly (readonly [string, (queue: BrokerQueue<unknown>) => Promise<unknown>])[] =
  [
    ['write', (queue) => queue.write('x')],
    ['writeMany', (queue) => queue.writeMany(['x'])],
    ['keepNewest', (queue) => queue.write('x', { keepNewest: 1 })],
    ['read', (queue) => queue.read()],
    ['readMany', (queue) => queue.readMany({ limit: 1 })],
    ['readAll', (queue) => queue.readAll().next()],
    ['a batch', (queue) => queue.readAll(atLeastOnce).next()],
    ['move', (queue) => queue.move('r')],
    ['moveAll', (queue) => queue.moveAll('r').next()],
    ['delete', (queue) => queue.delete(5n)],
    ['deleteMany', (queue) => queue.deleteMany([5n])],
    ['deleteAll', (queue) => queue.deleteAll()],
    ['redrive', (queue) => queue.deadLetters.redrive(5n)],
    ['drop', (queue) => queue.deadLetters.drop(5n)],
  ];

describe('a batch that could not be given back', () => {
  it('is given back by the next return()', async () => {
    const { broker, tried } = brokerThatFails(2);
    const reading = await endedInVain(broker.queue('q'));
    await expect(reading.return()).rejects.toBe(away);
    expect(await reading.return()).toEqual({ done: true, value: undefined });
    expect(await reading.return()).toEqual({ done: true, value: undefined });
    expect(tried).toEqual(['rollback', 'rollback', 'rollback']);
    await broker.close();
    expect(tried).toHaveLength(3);
  });

  it('of a move too', async () => {
    const { broker, tried } = brokerThatFails(1);
    const moving = broker.queue('q').moveAll('r', atLeastOnce);
    await moving.next();
    await expect(moving.return()).rejects.toBe(away);
    await moving.return();
    expect(tried).toEqual(['rollback', 'rollback']);
  });

  it.each(MUTATIONS)('is given back before %s of its handle', async (_, mutate) => {
    const { broker, tried } = brokerThatFails(1);
    const queue = broker.queue('q');
    await endedInVain(queue);
    await mutate(queue);
    expect(tried).toEqual(['rollback', 'rollback']);
  });

  it.each(MUTATIONS)('stays open while that fails, to %s too', async (_, mutate) => {
    const { broker } = brokerThatFails(2);
    const queue = broker.queue('q');
    await endedInVain(queue);
    const refused = mutate(queue);
    await expect(refused).rejects.toBeInstanceOf(BatchOpenError);
    await expect(refused).rejects.toMatchObject({
      ...{ cause: away, retryable: true, outcomeAmbiguous: false },
    });
    await mutate(queue);
  });

  it('is nothing to another handle', async () => {
    const { broker, tried } = brokerThatFails(9);
    await endedInVain(broker.queue('q'));
    await broker.queue('q').write('x');
    expect(tried).toHaveLength(1);
  });

  it('is given back by the close, also where its consumer threw', async () => {
    const { broker, tried } = brokerThatFails(1);
    const consuming = async () => {
      for await (const { id } of broker.queue('q').readAll(atLeastOnce)) throw new Error(`${id}`);
    };
    await expect(consuming()).rejects.toThrow('1');
    expect(tried).toEqual(['rollback']);
    await broker.close();
    expect(tried).toEqual(['rollback', 'rollback']);
  });

  it('is given back by a close that begins while that is tried in vain', async () => {
    let fail!: (error: Error) => void;
    const tried: string[] = [];
    const { broker } = brokerOn({
      beginBatch: () => Promise.resolve(batch),
      endBatch: (verb) => {
        if (tried.push(verb) > 1) return Promise.resolve(2);
        return new Promise((_, reject) => (fail = reject));
      },
    });
    const reading = broker.queue('q').readAll(atLeastOnce);
    await reading.next();
    const ending = reading.return();
    await eventually(() => tried.length === 1);
    const closing = broker.close();
    fail(away);
    await expect(ending).rejects.toBe(away);
    await closing;
    expect(tried).toEqual(['rollback', 'rollback']);
  });

  it('after a commit that failed is given back later', async () => {
    const { broker, tried } = brokerThatFails(1, { isCommitting: false });
    const queue = broker.queue('q');
    const reading = queue.readAll(atLeastOnce);
    await reading.next();
    await reading.next();
    await expect(reading.next()).rejects.toBe(away);
    expect(tried).toEqual(['commit', 'rollback']);
    await queue.write('x');
    expect(tried).toEqual(['commit', 'rollback', 'rollback']);
  });
});

it('a batch that was committed is not given back by anything', async () => {
  const { broker, tried } = brokerThatFails(0);
  const queue = broker.queue('q');
  const reading = queue.readAll({ ...atLeastOnce });
  for (let n = 0; n < 3; n++) await reading.next(); // the first message of the second batch
  await reading.return();
  await reading.return();
  await queue.write('x');
  await broker.close();
  expect(tried).toEqual(['commit', 'rollback']);
});

it('of two generators that begin in one step the second is refused', async () => {
  const { broker } = brokerThatFails(1);
  const queue = broker.queue('q');
  await endedInVain(queue);
  const begun = [queue.readAll(atLeastOnce), queue.readAll(atLeastOnce)].map((one) => one.next());
  const results = await Promise.allSettled(begun);
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
});
