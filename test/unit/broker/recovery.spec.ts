import type { BatchName, BrokerBackend } from '../../../lib/broker/index.js';
import { NotConnectedError, OperationalError, ReplyLostError } from '../../../lib/errors/index.js';
import { brokerOn } from './stand-in-backend.js';

const broken = new OperationalError('of another type', {
  retryable: false,
  outcomeAmbiguous: false,
});
const batchOf = (token: string): BatchName => ({ token, queue: 'q', createdAt: 1n });
const found = { queue: 'q', rows: [] };

/** Three abandoned batches, of which the first fails like that. */
function abandoned(failure: Error) {
  const tried: string[] = [];
  const primitives: Partial<BrokerBackend> = {
    staleBatches: () => Promise.resolve(['bad', 'one', 'two'].map(batchOf)),
    endBatch: (verb, { token }) => {
      tried.push(`${verb} ${token}`);
      return token === 'bad' ? Promise.reject(failure) : Promise.resolve(2);
    },
    read: () => Promise.resolve(found),
    find: () => Promise.resolve([5n]),
  };
  return { tried, primitives };
}

describe('recovery before a verb', () => {
  it('that fails does not fail the verb, which was not even sent', async () => {
    const lost = new ReplyLostError('the reply to the recovery was lost');
    const { broker, logger } = brokerOn({
      staleBatches: () => Promise.reject(lost),
      find: () => Promise.resolve([5n]),
      read: () => Promise.resolve(found),
    });
    expect(await broker.queue('q').find('abc')).toEqual([5n]);
    expect(await broker.queue('q').find('abc')).toEqual([5n]);
    expect(await broker.queue('q').read()).toBe(null);
    expect(logger.of('warn')).toEqual([expect.stringContaining(lost.message) as string]);
  });

  it('goes past a batch that it cannot recover', async () => {
    const { tried, primitives } = abandoned(broken);
    const { broker } = brokerOn(primitives);
    expect(await broker.queue('q').find('abc')).toEqual([5n]);
    expect(tried).toEqual(['rollback bad', 'rollback one', 'rollback two']);
  });

  it('stops at a failure that the next batch would meet too', async () => {
    const { tried, primitives } = abandoned(new NotConnectedError('no connection'));
    const { broker } = brokerOn(primitives);
    await broker.queue('q').find('abc');
    expect(tried).toEqual(['rollback bad']);
  });

  it('waits for a server only for a moment, and leaves the rest to the verb', async () => {
    const { broker } = brokerOn({
      staleBatches: (_, signal) =>
        new Promise((_resolve, reject) =>
          signal!.addEventListener('abort', () => reject(new NotConnectedError('too long'))),
        ),
      find: () => Promise.resolve([5n]),
    });
    expect(await broker.queue('q').find('abc')).toEqual([5n]);
  });
});

describe('recovery that was asked for', () => {
  it('tells what failed, after it tried the others', async () => {
    const { tried, primitives } = abandoned(broken);
    const { broker } = brokerOn(primitives);
    await expect(broker.recoverStale()).rejects.toBe(broken);
    expect(tried).toHaveLength(3);
  });
});
