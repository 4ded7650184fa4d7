import {
  BROKER_API_VERSION,
  QueueBroker,
  type BrokerBackend,
  type QueueBrokerOptions,
} from '../../../lib/broker/index.js';
import { ApiVersionError } from '../../../lib/errors/index.js';
import { caught } from '../../contract/caught.js';
import { freePort } from '../../support/redis-server.js';

/** A broker over a closed port, so that an attempt to connect would show. */
async function brokerWith(backend: unknown): Promise<QueueBroker> {
  const url = `redis://127.0.0.1:${await freePort()}`;
  return new QueueBroker({ connection: { url }, backend } as QueueBrokerOptions);
}

describe('the handshake with a backend extension', () => {
  test.each([BROKER_API_VERSION - 1, BROKER_API_VERSION + 1, 0, -9])(
    'refuses version %p, naming both and the way out',
    async (apiVersion) => {
      const making = brokerWith({ name: 'the extension X', apiVersion });
      await expect(making).rejects.toBeInstanceOf(ApiVersionError);
      await expect(making).rejects.toThrow(
        new RegExp(
          `the extension X.* ${apiVersion}, .* ${BROKER_API_VERSION}: upgrade the extension, or pin`,
        ),
      );
    },
  );

  test.each(['9', true, null, undefined, 9.5, 9n, NaN])(
    'refuses the version %p as no integer',
    async (apiVersion) => {
      const making = brokerWith({ name: 'X', apiVersion });
      await expect(making).rejects.toMatchObject({
        code: 'API_VERSION',
        message: expect.stringContaining('not an integer') as string,
      });
    },
  );

  test.each([null, 7, 'x'])('refuses %p, which is no backend', (backend) => {
    const make = () => new QueueBroker({ backend } as unknown as QueueBrokerOptions);
    expect(caught(make)).toEqual({ code: 'INVALID_OPTION', option: 'options.backend' });
  });

  test('lets one of the same version do the work, without a connection', async () => {
    const written: unknown[] = [];
    const backend: Partial<BrokerBackend> = {
      name: 'notes',
      apiVersion: BROKER_API_VERSION,
      write: (row) => Promise.resolve(BigInt(written.push(row))),
      close: () => Promise.resolve(),
    };
    const broker = new QueueBroker({ backend: backend as BrokerBackend });
    expect(await broker.write('q', 'x')).toBe(1n);
    expect(written).toEqual([{ queue: 'q', body: 'x' }]);
    expect(await broker.ids.last()).toBe(1n);
    await broker.close();
    await expect(broker.write('q', 'y')).rejects.toMatchObject({ code: 'CLOSED' });
  });
});
