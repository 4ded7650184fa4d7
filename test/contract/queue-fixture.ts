import type { Delivery, DeliverySource, Handler, LoopTarget } from '../../lib/contract/index.js';
import { ClaimLoop, type LoopOptions } from '../../lib/worker/index.js';
import type { Capability, ContractQueue, EngineHarness } from './harness.js';
import { RecordingLogger } from './logs.js';

/** The queue of the running test, and what the tests open on it. */
export class QueueFixture {
  queue!: ContractQueue;
  logger = new RecordingLogger();
  private sources: DeliverySource[] = [];
  private loops: ClaimLoop[] = [];
  private stopper = new AbortController();

  constructor(private readonly harness: EngineHarness) {}

  async open(): Promise<void> {
    this.queue = await this.harness.open();
    this.logger = new RecordingLogger();
    this.stopper = new AbortController();
  }

  /** Ends whatever a test left open; also after one that failed half way. */
  async close(): Promise<void> {
    this.stopper.abort();
    await Promise.all(this.loops.splice(0).map((loop) => loop.drain(0)));
    await Promise.all(this.sources.splice(0).map((source) => source.close()));
    await this.queue.close();
  }

  source(target?: Partial<LoopTarget>): DeliverySource {
    const source = this.queue.source(target);
    this.sources.push(source);
    return source;
  }

  /** A started loop over a source of its own. */
  loop(handler: Handler, options: LoopOptions = {}): ClaimLoop {
    const { concurrency = 1, prefetch = 0, leaseMs = 30_000, retry } = options;
    const attempts = retry?.attempts ?? 3;
    const source = this.queue.source({ slots: concurrency + prefetch, leaseMs, attempts });
    const parts = { name: this.queue.name, source, handler, options, logger: this.logger };
    const loop = new ClaimLoop(parts);
    this.loops.push(loop);
    loop.start();
    return loop;
  }

  /** What one claim brings; ended with the test. */
  async claim(source = this.source(), limit = 1): Promise<readonly Delivery[]> {
    return source.claim({ limit, signal: this.stopper.signal });
  }

  /** The next message, by a source of its own unless one is given. */
  async claimOne(source?: DeliverySource): Promise<Delivery> {
    const [delivery] = await this.claim(source);
    return delivery;
  }

  /** Claims until `count` messages are here. */
  async claimAll(count: number, source = this.source()): Promise<Delivery[]> {
    const held: Delivery[] = [];
    while (held.length < count) held.push(...(await this.claim(source, count - held.length)));
    return held;
  }

  /** `it` for engines that promise this; of the others there is no such test. */
  itIf(capability: Capability): (name: string, test: () => Promise<void>) => void {
    return this.harness.capabilities.includes(capability) ? it : () => undefined;
  }

  /** `it` for engines that do not promise this. */
  itUnless(capability: Capability): (name: string, test: () => Promise<void>) => void {
    return this.harness.capabilities.includes(capability) ? () => undefined : it;
  }
}
