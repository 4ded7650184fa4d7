import { jest } from '@jest/globals';
import type { StreamConsumed } from '../../../lib/streams/index.js';
import { eventually } from '../../support/eventually.js';
import { useStreams } from './streams-fixture.js';

const streams = useStreams('streams-observing');

afterEach(() => jest.restoreAllMocks());

test('a long run of an Observable leaves no listener behind and warns of none', async () => {
  const warned = jest.fn();
  process.on('warning', warned);
  const added = jest.spyOn(EventTarget.prototype, 'addEventListener');
  const removed = jest.spyOn(EventTarget.prototype, 'removeEventListener');
  const count = 300;
  let done = 0;
  const consumer = streams.transport().consumer({ prefetch: 2 });
  const subscription = consumer.observe().subscribe((one) => {
    setTimeout(() => void one.ack().then(() => (done += 1)), 1);
  });
  await streams.producer.publishMany(Array.from({ length: count }, (_, n) => String(n)));
  await eventually(() => done === count);
  expect(added.mock.calls.length - removed.mock.calls.length).toBeLessThan(20);
  subscription.unsubscribe();
  await consumer.stop();
  process.off('warning', warned);
  expect(warned).not.toHaveBeenCalled();
});

test('many subscribers of one consumer are no leak', async () => {
  const warned = jest.fn();
  process.on('warning', warned);
  const consumer = streams.consumer();
  const all = Array.from({ length: 15 }, () => consumer.observe().subscribe());
  await new Promise((resolve) => setTimeout(resolve, 20));
  await consumer.stop();
  for (const one of all) one.unsubscribe();
  process.off('warning', warned);
  expect(warned).not.toHaveBeenCalled();
});

test('a handler that hangs frees its place when its lease has run out', async () => {
  const out: StreamConsumed[] = [];
  const consumer = streams.consumer({ leaseMs: 300, blockMs: 50 });
  const subscription = consumer.observe().subscribe((one) => out.push(one));
  await streams.producer.publishMany(['hangs', 'next']);
  await eventually(() => out.length === 2);
  await out[0].settled;
  expect(out.map(({ body }) => body.toString())).toEqual(['hangs', 'next']);
  await out[1].ack();
  subscription.unsubscribe();
});

describe('`settled` resolves', () => {
  test('at the end of the lease, which extending moves', async () => {
    await streams.producer.publish('x');
    const one = await streams.takeOne(streams.consumer({ leaseMs: 600 }));
    const settled = one.settled.then(() => performance.now());
    await new Promise((resolve) => setTimeout(resolve, 300));
    const extendedAt = performance.now();
    await one.extend();
    expect((await settled) - extendedAt).toBeGreaterThanOrEqual(599);
    await one.ack(); // nobody took it over
  });

  test('when an extension finds that someone else holds it', async () => {
    await streams.producer.publish('x');
    const one = await streams.takeOne(streams.consumer());
    const steal = ['thief', 0, one.entryId, 'JUSTID'] as const;
    await streams.redis.xclaim(streams.key('stream'), 'default', ...steal);
    await expect(one.extend()).rejects.toMatchObject({ code: 'LEASE_LOST' });
    await one.settled;
  });

  test('also for who asks after it was settled', async () => {
    await streams.producer.publish('x');
    const one = await streams.takeOne(streams.consumer());
    await one.ack();
    await one.settled;
  });
});
