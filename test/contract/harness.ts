import type { DeadLetters, DeliverySource, LoopTarget } from '../../lib/contract/index.js';

/** Promises that not every engine makes; the suite skips the tests of those that are missing. */
export type Capability =
  /** Messages without a group come out in the order in which they went in. */
  | 'order by arrival'
  /** `produce` takes `delayMs`. */
  | 'delay'
  /** `produce` takes `maxAttempts`. */
  | 'max attempts'
  /** `produce` takes `headers`. */
  | 'headers'
  /** A running message can be cancelled, and its holder is told. */
  | 'cancel'
  /** What a handler returns is stored, so it has to be storable. */
  | 'results'
  /** A body that does not decode can be put into the queue. */
  | 'unreadable';

/** Where a message is, in words that fit every engine. */
export type State = 'waiting' | 'delayed' | 'running' | 'done' | 'dead' | 'cancelled';

export interface ProduceOptions {
  readonly delayMs?: number;
  readonly maxAttempts?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** One fresh queue of the engine under test. */
export interface ContractQueue {
  readonly name: string;
  /** Puts a message in, resolves with its id once it is in. Messages are independent. */
  produce(payload: unknown, options?: ProduceOptions): Promise<string>;
  /** Puts in a message whose body does not decode; only with 'unreadable'. */
  produceUnreadable(): Promise<string>;
  /** A source of its own for this queue; defaults: slots 10, leaseMs 30,000, attempts 3. */
  source(target?: Partial<LoopTarget>): DeliverySource;
  /**
   * Makes every lease of this queue that is held now run out, and lets upkeep recover what it
   * held, as if the holders had been silent for the whole lease. When it resolves the messages are
   * claimable again. Moves the engine's clock or the stored end of the lease; does not wait.
   */
  expireLeases(): Promise<void>;
  /** Makes every delay of this queue run out, in the same manner. */
  expireDelays(): Promise<void>;
  readonly deadLetters: DeadLetters;
  /** `null` when the queue knows no such message; one that is done may be unknown at once. */
  stateOf(id: string): Promise<State | null>;
  /** Cancels a message in whatever state; only with 'cancel'. Its holder is told at the latest at
   * its next `extend`. */
  cancel(id: string): Promise<boolean>;
  /** Closes what `open` opened and deletes the keys. The suite has closed its sources before. */
  close(): Promise<void>;
}

/** What an engine brings along to run the contract suite. */
export interface EngineHarness {
  readonly capabilities: readonly Capability[];
  /** A queue that no other test sees. */
  open(): Promise<ContractQueue>;
}
