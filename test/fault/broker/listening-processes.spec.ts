import { useBroker } from '../../engine/broker/broker-fixture.js';
import { eventually } from '../../support/eventually.js';
import { useChildPrograms } from '../../support/child-programs.js';

const fixture = useBroker('broker-listening');
const programs = useChildPrograms('test/fault/broker/child');

describe('a process that does nothing but listen', () => {
  it.each(['watch', 'observe', 'waiter'])(
    'by %s stays alive for it, and ends by itself after it',
    async (way) => {
      const { url, prefix, namespace } = fixture;
      const listener = programs.run('listener', { url, prefix, namespace, way });
      const channels = () => fixture.redis.pubsub('CHANNELS', `${fixture.base}:*`);
      await eventually(async () => ((await channels()) as string[]).length === 1);
      await fixture.queue('q').write('one');
      await listener.said('one');
      await fixture.queue('q').write('stop');
      await listener.said('over');
      expect(await listener.ended).toEqual({ code: 0, signal: null });
      expect(listener.words()).toEqual(['one', 'stop', 'over']);
    },
    60_000,
  );
});
