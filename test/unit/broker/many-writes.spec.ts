import { NotConnectedError, PartialFailureError } from '../../../lib/errors/index.js';
import { JSON_CODEC } from '../../../lib/delivery/index.js';
import { brokerOn } from './stand-in-backend.js';

const away = new NotConnectedError('no connection');

describe('a write of many messages', () => {
  it('that was carried out in part says which ids were written, and cannot just be repeated', async () => {
    let written = 0n;
    const write = () => (written < 2n ? Promise.resolve(++written) : Promise.reject(away));
    const { broker } = brokerOn({ write });
    const writing = broker.queue('q').writeMany(['a', 'b', 'c']);
    await expect(writing).rejects.toBeInstanceOf(PartialFailureError);
    await expect(writing).rejects.toMatchObject({ retryable: false, results: [1n, 2n, away] });
  });

  it('of which nothing was written fails as one of them did', async () => {
    const { broker } = brokerOn({ write: () => Promise.reject(away) });
    await expect(broker.queue('q').writeMany(['a', 'b'])).rejects.toBe(away);
  });

  it('encodes each body once', async () => {
    const encoded: unknown[] = [];
    const encode = (body: unknown) => JSON.stringify(encoded[encoded.push(body) - 1]);
    const codec = { ...JSON_CODEC, encode };
    const { broker } = brokerOn({ write: () => Promise.resolve(1n) }, { codec });
    await broker.queue('q').writeMany([{ n: 1 }, { n: 2 }]);
    expect(encoded).toEqual([{ n: 1 }, { n: 2 }]);
  });
});
