import type { Engine, EngineHealth, LoopTarget, UpkeepTask } from '../contract/index.js';
import { checkDuration, checkInteger } from '../errors/index.js';
import { MemoryDeadLetters } from './memory-dead-letters.js';
import {
  encode,
  type MemoryRecord,
  type MemoryState,
  type ProduceOptions,
} from './memory-message.js';
import { MemoryQueue } from './memory-queue.js';
import { MemorySource } from './memory-source.js';

/**
 * An engine that keeps its queues in memory: for tests of handlers and of what drives them.
 *
 * It keeps every promise of the contract (leases, fences, delays, dead letters, cancel) without a
 * server. Messages of one group run one at a time; a failed message goes to the back. Its clock
 * can be moved on with `advance`. Payloads pass through JSON, as they do on the way to Redis, so
 * a test finds what JSON would change. It forgets nothing, and no timer of it keeps a process
 * alive.
 */
export class MemoryEngine implements Engine<'memory'> {
  readonly name = 'memory';
  private readonly queues = new Map<string, MemoryQueue>();
  private readonly clock: () => number;
  private skippedMs = 0;
  private lastId = 0;

  /** @param options.clock epoch milliseconds; by default this host's */
  constructor(options: { readonly clock?: () => number } = {}) {
    this.clock = options.clock ?? Date.now;
  }

  /**
   * Puts a message into a queue and returns its id.
   *
   * A message whose id is there already is not put in again.
   *
   * @throws PayloadError when the payload is not JSON
   * @throws InvalidOptionError naming `delayMs` or `maxAttempts`
   */
  produce(queue: string, payload: unknown, options: ProduceOptions = {}): string {
    return this.produceRaw(queue, encode(payload), options);
  }

  /** Puts a message with a body of any text into a queue, for example one that does not decode. */
  produceRaw(queue: string, body: string, options: ProduceOptions = {}): string {
    const { delayMs = 0, maxAttempts } = options;
    checkDuration('delayMs', delayMs, { min: 0 });
    if (maxAttempts !== undefined) checkInteger('maxAttempts', maxAttempts, { min: 1 });
    const state = this.queue(queue);
    const id = options.id ?? this.freeId(state);
    if (state.records.has(id)) return id;
    state.enqueue(this.record({ ...options, id, queue, body }), delayMs);
    return id;
  }

  source(target: LoopTarget): MemorySource {
    return new MemorySource(this.queue(target.queue), target);
  }

  upkeep(target: LoopTarget): readonly UpkeepTask[] {
    const queue = this.queue(target.queue);
    return [{ name: `memory:${target.queue}`, run: () => Promise.resolve(queue.upkeep()) }];
  }

  deadLetters(queue: string): MemoryDeadLetters {
    return new MemoryDeadLetters(this.queue(queue));
  }

  health(queue: string): Promise<EngineHealth> {
    return Promise.resolve(this.queue(queue).health());
  }

  /** Where a message is; `null` when the queue never had it, or it was dropped. */
  stateOf(queue: string, id: string): MemoryState | null {
    const state = this.queue(queue);
    state.upkeep();
    return state.records.get(id)?.state ?? null;
  }

  /** What the handler of a done message returned; `undefined` when it returned nothing. */
  resultOf(queue: string, id: string): unknown {
    const result = this.queue(queue).records.get(id)?.result ?? null;
    return result === null ? undefined : (JSON.parse(result) as unknown);
  }

  /**
   * Ends a message that is not over yet; a handler that runs it sees its signal abort with
   * `CancelledError`. Returns `false` when there is nothing to cancel.
   */
  cancel(queue: string, id: string): boolean {
    const state = this.queue(queue);
    const record = state.records.get(id);
    return record !== undefined && state.cancel(record);
  }

  /** Moves the clock on: delays become due, leases run out. @throws InvalidOptionError */
  advance(ms: number): void {
    this.skippedMs += checkDuration('ms', ms, { min: 0 });
    for (const queue of this.queues.values()) {
      queue.upkeep();
      queue.waiters.ring();
    }
  }

  private now(): number {
    return this.clock() + this.skippedMs;
  }

  private queue(name: string): MemoryQueue {
    const queue = this.queues.get(name) ?? new MemoryQueue(() => this.now());
    this.queues.set(name, queue);
    return queue;
  }

  private freeId(queue: MemoryQueue): string {
    do this.lastId += 1;
    while (queue.records.has(String(this.lastId)));
    return String(this.lastId);
  }

  private record(
    given: ProduceOptions & { id: string; queue: string; body: string },
  ): MemoryRecord {
    const { id, queue, body, group = `id:${id}`, name = '', headers = {} } = given;
    return {
      ...{ id, queue, group, name, body, headers: { ...headers } },
      maxAttempts: given.maxAttempts ?? null,
      enqueuedAt: this.now(),
      state: 'waiting',
      ...{ attempt: 0, fence: 0, dueAt: 0, reason: '', endedAt: 0, result: null },
    };
  }
}
