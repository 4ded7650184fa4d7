import { useBroker } from '../../engine/broker/broker-fixture.js';
import { useChildPrograms } from '../../support/child-programs.js';

const WRITERS = 16;
const EACH = 200;

const fixture = useBroker('broker-writers');
const programs = useChildPrograms('test/fault/broker/child');

test('16 processes with clocks of their own write without a conflict, each in its order', async () => {
  const { url, prefix, namespace } = fixture;
  const writers = Array.from({ length: WRITERS }, (_, writer) =>
    programs.run('writer', {
      ...{ url, prefix, namespace, writer, count: EACH },
      skewMs: (writer - 8) * 300_000,
    }),
  );
  for (const { ended } of writers) expect(await ended).toEqual({ code: 0, signal: null });

  const answered = writers.map((writer) => writer.words().map(BigInt));
  for (const ids of answered) {
    expect(ids).toHaveLength(EACH);
    expect(ids).toEqual([...ids].sort((one, other) => (one < other ? -1 : 1)));
  }
  const all = answered.flat();
  expect(new Set(all).size).toBe(WRITERS * EACH);
  expect(await fixture.broker.stats()).toMatchObject({ queues: 4, pending: WRITERS * EACH });
  const highest = all.reduce((high, id) => (id > high ? id : high));
  expect(await fixture.broker.ids.refresh()).toBe(highest);

  const found = await fixture.queue('q0').readMany({ limit: 10_000 });
  const bodies = found.map(({ body }) => body).filter((body) => body.startsWith('4:'));
  expect(bodies).toEqual(Array.from({ length: EACH }, (_, n) => `4:${n}`));
}, 120_000);
