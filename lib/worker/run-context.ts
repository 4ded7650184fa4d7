import type { HandlerLogger, ProcessContext } from '../contract/index.js';
import type { Held, LeaseKeeper } from './lease-keeper.js';

/** What the contexts of one loop share. */
export interface ContextParts {
  readonly keeper: LeaseKeeper;
  readonly logger: HandlerLogger;
}

/**
 * The context of one run.
 *
 * The signal is made when it is first looked at: an AbortController costs 2.6 microseconds on
 * Node 20, more than the rest of a hand-over, and most handlers never ask.
 */
export class RunContext implements ProcessContext {
  private controller: AbortController | null = null;
  private abortedBy: Error | null = null;

  constructor(
    private readonly held: Held,
    private readonly parts: ContextParts,
  ) {}

  get signal(): AbortSignal {
    if (this.controller === null) {
      this.controller = new AbortController();
      if (this.abortedBy !== null) this.controller.abort(this.abortedBy);
    }
    return this.controller.signal;
  }

  get attempt(): number {
    return this.held.delivery.message.attempt;
  }

  get fence(): number {
    return this.held.delivery.fence;
  }

  get logger(): HandlerLogger {
    return this.parts.logger;
  }

  /** @throws LeaseLostError when the message is not held any more */
  extend(): Promise<void> {
    return this.parts.keeper.extend(this.held);
  }

  /** Aborts the signal, whether it was looked at or not; the first reason stays. */
  abort(reason: Error): void {
    if (this.abortedBy !== null) return;
    this.abortedBy = reason;
    this.controller?.abort(reason);
  }
}
