import { useChildPrograms } from '../../support/child-programs.js';
import { eventually } from '../../support/eventually.js';
import { collect, useStreams } from '../../engine/streams/streams-fixture.js';
import type { ReaderSetup } from './child/reader.js';

const streams = useStreams('streams-killed');
const children = useChildPrograms('test/fault/streams/child');

function reader(more: Partial<ReaderSetup> = {}) {
  const { url, prefix, queue } = streams;
  const setup: ReaderSetup = { url, prefix, queue, leaseMs: 1_500, prefetch: 100, ...more };
  return children.run('reader', setup);
}

test('a consumer that is killed with 500 pending: all run again within the lease and a second', async () => {
  await streams.producer.publishMany(Array.from({ length: 500 }, (_, n) => String(n)));
  const victim = reader();
  await victim.said('taken');
  victim.kill('SIGKILL');
  await victim.ended;
  const since = performance.now();
  const seen = new Set<string>();
  const consumer = streams.consumer({ leaseMs: 1_500, blockMs: 500, prefetch: 50 });
  const reading = collect(consumer, (one) => (seen.add(one.body.toString()), one.ack()));
  await eventually(() => seen.size === 500, { withinMs: 20_000 });
  // the machine may be busy: the promise is a second beyond the lease
  expect(performance.now() - since).toBeLessThan(1_500 + 1_000 + 1_500);
  await eventually(async () => (await streams.pending()) === 0);
  await consumer.stop();
  for (const one of await reading) expect(one.deliveryCount).toBe(2);
});

test('an entry that kills its process is dead-lettered, and the others behind it are done', async () => {
  await streams.producer.publishMany(['bomb', ...Array.from({ length: 20 }, (_, n) => String(n))]);
  const more = { leaseMs: 300, prefetch: 1, maxDeliveries: 2, exitOn: 'bomb' };
  for (let deaths = 0; (await streams.letters()).length === 0; deaths++) {
    expect(deaths).toBeLessThan(5);
    const child = reader(more);
    await Promise.race([
      child.ended,
      eventually(async () => (await streams.letters()).length > 0, { withinMs: 20_000 }),
    ]);
  }
  const [letter] = await streams.letters();
  expect(letter).toMatchObject({ body: 'bomb', reason: 'max_deliveries', attempts: '3' });
  await eventually(async () => (await streams.transport().stats()).groups[0].waiting === 0);
  await eventually(async () => (await streams.pending()) === 0);
});
