import { BrokerCore } from '../../../lib/broker/broker.core.js';
import { BrokerSource } from '../../../lib/broker/broker.source.js';
import { BrokerUpkeep } from '../../../lib/broker/broker.upkeep.js';
import {
  BROKER_DEFAULTS,
  type BrokerBackend,
  type BrokerHolds,
  type HeldRow,
  type QueueStats,
} from '../../../lib/broker/index.js';
import { RecordingLogger } from '../../contract/logs.js';
import { eventually } from '../../support/eventually.js';
import { backendWith, brokerOn } from './stand-in-backend.js';

/** Never answers until it is told to stop. */
const untilStopped = (signal: AbortSignal | undefined): Promise<never> =>
  new Promise((_, reject) => {
    signal!.addEventListener('abort', () => reject(new Error('stopped')));
  });

function coreOn(primitives: Partial<BrokerBackend>): BrokerCore {
  return new BrokerCore(backendWith(primitives), BROKER_DEFAULTS, new RecordingLogger());
}

describe('a broker that is closed', () => {
  it('does not wait for what its vacuum waits for', async () => {
    let begun = 0;
    async function* queues(): AsyncGenerator<QueueStats> {
      yield await Promise.resolve({ queue: 'q', claimed: 5_000, total: 5_000 } as QueueStats);
    }
    const { broker } = brokerOn(
      {
        queues,
        vacuum: (_queue, _limit, signal) => (begun++, untilStopped(signal)),
        write: () => Promise.resolve(1n),
      },
      { vacuumEvery: 1 },
    );
    await broker.write('q', 'x');
    await eventually(() => begun === 1);
    await broker.close();
    expect(begun).toBe(1);
  });
});

describe('upkeep', () => {
  it('ends its waits when it is stopped, in the recovery of batches and in its own call', async () => {
    const stop = new AbortController();
    const seen: string[] = [];
    const holds: Partial<BrokerHolds> = {
      upkeep: (_queue, _keep, signal) => (seen.push('upkeep'), untilStopped(signal)),
    };
    const core = coreOn({ holds: holds as BrokerHolds });
    const running = new BrokerUpkeep(core, 'q').run(stop.signal);
    await eventually(() => seen.length === 1);
    stop.abort();
    await expect(running).rejects.toThrow('stopped');
  });

  it('does not wait for a recovery that a read began', async () => {
    const stop = new AbortController();
    let giveUp!: (error: Error) => void;
    const stale = new Promise<never>((_, reject) => (giveUp = reject));
    const core = coreOn({ staleBatches: () => stale });
    const reading = core.recovery.runSeldom();
    const running = new BrokerUpkeep(core, 'q').run(stop.signal);
    stop.abort();
    await expect(running).rejects.toMatchObject({ name: 'AbortError' });
    giveUp(new Error('no answer'));
    await reading;
  });
});

describe('a source that is closed', () => {
  it('ends its registration although a lease of what it had left over is lost', async () => {
    const row = (id: bigint): HeldRow => ({ id, body: Buffer.from('x'), attempt: 1, fence: 1 });
    let released = 0;
    const holds: Partial<BrokerHolds> = {
      settle: ({ outcomes, limit }) =>
        Promise.resolve({
          codes: outcomes.map(() => 0), // lost
          rows: limit > 0 ? [row(1n), row(2n)] : [],
          nextInMs: -1,
        }),
    };
    const core = coreOn({
      holds: holds as BrokerHolds,
      subscribe: () => Promise.resolve({ release: () => Promise.resolve(void released++) }),
    });
    const source = new BrokerSource(core, { queue: 'q', slots: 1, leaseMs: 30_000, attempts: 3 });
    const { signal } = new AbortController();
    expect(await source.claim({ limit: 1, signal })).toHaveLength(1);
    await source.close();
    expect(released).toBe(1);
  });
});
