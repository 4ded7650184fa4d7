import { brokerOn } from './stand-in-backend.js';

const failed = new Error('the backend does not close');

describe('a close that throws', () => {
  it('throws once: later ones do nothing', async () => {
    let count = 0;
    const { broker } = brokerOn({ close: () => (count++, Promise.reject(failed)) });
    await expect(broker.close()).rejects.toBe(failed);
    await broker.close();
    await broker.close();
    expect(count).toBe(1);
    await expect(broker.write('q', 'x')).rejects.toMatchObject({ code: 'CLOSED' });
  });

  it('is waited for by another one, which does not throw', async () => {
    let fail!: (error: Error) => void;
    const { broker } = brokerOn({ close: () => new Promise((_, reject) => (fail = reject)) });
    const first = broker.close();
    let isSecondOver = false;
    const second = broker.close().then(() => (isSecondOver = true));
    await new Promise((resolve) => setImmediate(resolve));
    expect(isSecondOver).toBe(false);
    fail(failed);
    await expect(first).rejects.toBe(failed);
    await second;
  });
});
