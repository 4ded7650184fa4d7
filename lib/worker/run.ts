import type { Delivery, Handler } from '../contract/index.js';
import { RunTimeoutError, ShutdownError } from '../errors/index.js';
import type { Held } from './lease-keeper.js';
import { GIVEN_BACK, deadLetter, outcomeOfThrown, type Outcome } from './outcome.js';
import type { RetryPolicy } from './retry-policy.js';
import { RunContext, type ContextParts } from './run-context.js';

/** What a run needs of its loop, and what it tells it. */
export interface RunHost extends ContextParts {
  readonly handler: Handler;
  readonly policy: RetryPolicy;
  readonly timeoutMs: number | null;
  /** The run is over and its slot is free; called once. `null`: there is nothing to write. */
  ended(run: Run, outcome: Outcome | null): void;
  /** The message is no longer ours; called at most once, and not after `ended`. */
  revoked(run: Run, reason: Error): void;
}

/** One delivery on its way: held, handed to the handler, ended by whatever comes first. */
export class Run implements Held {
  /** Why the message is no longer ours; `null` while it is. */
  revokedBy: Error | null = null;
  private isEnded = false;
  private timer: NodeJS.Timeout | undefined;
  private readonly context: RunContext;

  constructor(
    readonly delivery: Delivery,
    private readonly host: RunHost,
  ) {
    this.context = new RunContext(this, host);
    delivery.onRevoked((reason) => this.revoke(reason));
  }

  start(): void {
    const { delivery, host } = this;
    if (delivery.unreadable !== null) return this.end(deadLetter(delivery.unreadable));
    if (host.timeoutMs !== null) this.timer = setTimeout(() => this.timeOut(), host.timeoutMs);
    // a promise of ours, so that a handler which throws at once is no different
    new Promise((resolve) => resolve(host.handler(delivery.message, this.context))).then(
      (result) => this.end({ kind: 'ack', result }),
      (thrown) => this.fail(thrown),
    );
  }

  /**
   * Nothing is written any more, whatever the handler does. It keeps its slot until it ends, or
   * handlers that do not heed the signal would pile up beyond the concurrency.
   */
  revoke(reason: Error): void {
    if (this.revokedBy !== null) return;
    this.revokedBy = reason;
    if (this.isEnded) return;
    this.context.abort(reason);
    this.host.revoked(this, reason);
  }

  /** The time for shutting down is over: gives the message back without an attempt spent. */
  cutShort(): void {
    if (this.isEnded) return;
    this.end(GIVEN_BACK);
    this.context.abort(new ShutdownError());
  }

  /** Marks a run that never started as over; its loop gives the message back. */
  forgo(): void {
    this.isEnded = true;
  }

  private fail(thrown: unknown): void {
    // asked for runs that still count only: the policy may call the user's own function
    if (this.isEnded || this.revokedBy !== null) return this.end(null);
    this.end(outcomeOfThrown(thrown, this.delivery, this.host.policy));
  }

  private timeOut(): void {
    const error = new RunTimeoutError(this.host.timeoutMs ?? 0);
    this.fail(error);
    this.context.abort(error);
  }

  private end(outcome: Outcome | null): void {
    if (this.isEnded) return;
    this.isEnded = true;
    clearTimeout(this.timer);
    this.host.ended(this, this.revokedBy === null ? outcome : null);
  }
}
