import { MemoryEngine } from '../../lib/testing/index.js';
import { describeEngineContract } from './contract-suite.js';
import type { ContractQueue, EngineHarness } from './harness.js';

const A_DAY_MS = 86_400_000;
const QUEUE = 'mem';

const harness: EngineHarness = {
  capabilities: [
    'order by arrival',
    'delay',
    'max attempts',
    'headers',
    'cancel',
    'results',
    'unreadable',
  ],
  open: () => Promise.resolve(openQueue()),
};

/** The clock of the engine moves: a lease is over, or a delay, without a wait. */
function openQueue(): ContractQueue {
  const engine = new MemoryEngine();
  const advance = () => Promise.resolve(engine.advance(A_DAY_MS));
  const target = { queue: QUEUE, slots: 10, leaseMs: 30_000, attempts: 3 };
  return {
    name: QUEUE,
    produce: async (payload, options) => Promise.resolve(engine.produce(QUEUE, payload, options)),
    produceUnreadable: () => Promise.resolve(engine.produceRaw(QUEUE, '{"half')),
    source: (given) => engine.source({ ...target, ...given }),
    expireLeases: advance,
    expireDelays: advance,
    deadLetters: engine.deadLetters(QUEUE),
    stateOf: (id) => Promise.resolve(engine.stateOf(QUEUE, id)),
    cancel: (id) => Promise.resolve(engine.cancel(QUEUE, id)),
    close: () => Promise.resolve(),
  };
}

describeEngineContract('memory', harness);
