import type { DeliverySource } from './delivery.js';
import type { UpkeepTask } from './upkeep.js';

/** A message that will not be tried again by itself. */
export interface DeadLetter {
  readonly id: string;
  readonly payload: unknown;
  readonly headers: Readonly<Record<string, string>>;
  readonly attempts: number;
  readonly reason: string;
  /** When it was given up, in epoch milliseconds of the Redis clock. */
  readonly deadAt: number;
}

/** The dead letters of one queue, the same on every engine. */
export interface DeadLetters {
  /** How many there are. */
  count(): Promise<number>;
  /** Newest first; `limit` 1 to 500, default 100. */
  list(page?: {
    readonly limit?: number;
    readonly offset?: number;
  }): Promise<readonly DeadLetter[]>;
  /** Makes it deliverable again; `false` when there is no such dead letter. */
  redrive(id: string): Promise<boolean>;
  /** Deletes it for good; `false` when there is no such dead letter. */
  drop(id: string): Promise<boolean>;
}

/** What a probe wants to know about one queue. */
export interface EngineHealth {
  /** Whether the last command on this queue's connection was answered. */
  readonly connected: boolean;
  /** How many messages are deliverable now. */
  readonly waiting: number;
  /** How many are held under a lease, here or elsewhere. */
  readonly running: number;
  /** How long the oldest deliverable message has waited, in milliseconds; 0 without any. */
  readonly oldestWaitingMs: number;
}

/** What the claim loop side asks of a queue, beside the engine's own options. */
export interface LoopTarget {
  readonly queue: string;
  /** How many deliveries the loop holds at once; sizes the calls of the source. */
  readonly slots: number;
  /** Lease of one claim, in milliseconds. */
  readonly leaseMs: number;
  /** Attempts of a message whose producer named no limit. */
  readonly attempts: number;
}

/** One of the engines as the claim loop and the module see it. */
export interface Engine<Name extends string = string, Target extends LoopTarget = LoopTarget> {
  readonly name: Name;
  source(target: Target): DeliverySource;
  /** The periodic work of the queues that have a source in this process. */
  upkeep(target: Target): readonly UpkeepTask[];
  deadLetters(queue: string): DeadLetters;
  health(queue: string): Promise<EngineHealth>;
}
