import { BrokerCore } from '../../../lib/broker/broker.core.js';
import {
  BROKER_DEFAULTS,
  BrokerEngine,
  type BrokerBackend,
  type QueueStats,
} from '../../../lib/broker/index.js';
import { RecordingLogger } from '../../contract/logs.js';
import { backendWith } from './stand-in-backend.js';

const stats: QueueStats = {
  queue: 'q',
  pending: 9,
  postponed: 4,
  reserved: 2,
  claimed: 0,
  dead: 0,
  total: 9,
  exists: true,
};

/** An engine whose oldest waiting message has this id, and which cannot show any body. */
function engineWith(oldest: bigint | null): BrokerEngine {
  const primitives: Partial<BrokerBackend> = {
    stats: () => Promise.resolve(stats),
    firstWaiting: () => Promise.resolve(oldest),
  };
  return new BrokerEngine(
    new BrokerCore(backendWith(primitives), BROKER_DEFAULTS, new RecordingLogger()),
  );
}

describe('a probe of a queue', () => {
  test('tells what waits apart from what is postponed or held, without a look at bodies', async () => {
    const minuteAgo = BigInt(Date.now() - 60_000) * 1_000_000n;
    const health = await engineWith(minuteAgo).health('q');
    expect(health).toMatchObject({ connected: true, waiting: 3, running: 2 });
    expect(health.oldestWaitingMs).toBeGreaterThanOrEqual(60_000);
    expect(health.oldestWaitingMs).toBeLessThan(90_000);
  });

  test('knows of no wait where nothing waits, or in the future', async () => {
    expect((await engineWith(null).health('q')).oldestWaitingMs).toBe(0);
    expect((await engineWith(2n ** 62n).health('q')).oldestWaitingMs).toBe(0);
  });
});
