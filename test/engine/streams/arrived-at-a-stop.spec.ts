import { StreamLane } from '../../../lib/streams/stream.lane.js';
import { openCore } from '../../../lib/streams/streams.core.js';
import { resolveStreamsOptions } from '../../../lib/streams/streams.options.js';
import { useStreams } from './streams-fixture.js';

const streams = useStreams('arrived');
const TERMS = { consumer: 'me', leaseMs: 60_000, maxDeliveries: 0, maxAttempts: 0 };

test('what a stop finds undelivered goes back, and what is for another group is done with', async () => {
  const { url, prefix, queue, logger } = streams;
  const core = openCore({ url, prefix, logger }, resolveStreamsOptions({}), 'streams');
  const lane = new StreamLane(core, queue, { ...TERMS, group: 'mine' });
  const key = streams.key('stream');
  await streams.redis.xgroup('CREATE', key, 'mine', '0', 'MKSTREAM');
  await streams.redis.xadd(key, '*', 'body', 'for all');
  await streams.redis.xadd(key, '*', 'body', 'came back', 'group', 'other');
  const read = ['COUNT', 10, 'STREAMS', key, '>'] as const;
  const reply = await streams.redis.xreadgroup('GROUP', 'mine', 'me', ...read);
  lane.arrive((reply as [[string, unknown]])[0][1]);
  await lane.giveBack();
  expect(await streams.pending('mine')).toBe(1);
  const [one] = await streams.take(streams.consumer({ group: 'mine' }));
  expect(one.body.toString()).toBe('for all');
  await core.connection.close();
});
