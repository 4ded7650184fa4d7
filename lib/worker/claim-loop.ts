import type { DeliverySource, Handler, HandlerLogger } from '../contract/index.js';
import { ClosedError, checkDuration } from '../errors/index.js';
import { Claims } from './claims.js';
import { loopFailures, type LoopFailures } from './failure-log.js';
import { LeaseKeeper } from './lease-keeper.js';
import type { LoopHealth } from './loop-health.js';
import { checkLoopOptions, type LoopOptions, type ResolvedLoop } from './loop.options.js';
import { within } from './pauses.js';
import { readableError } from './readable-error.js';
import { RetryPolicy } from './retry-policy.js';
import { Settler } from './settler.js';
import { Slots } from './slots.js';

/** What a claim loop is made of. */
export interface ClaimLoopParts {
  /** Names the loop in logs, for example `jobs:emails`. */
  readonly name: string;
  /** Where it claims from; `drain` closes it. */
  readonly source: DeliverySource;
  readonly handler: Handler;
  readonly options?: LoopOptions;
  readonly logger: HandlerLogger;
}

/** What is left when the grace is over (releases, closing the source) gets this long each. */
const WRAP_UP_MS = 1_000;

/** Runs one handler over what a source delivers, from `start` to `drain`. */
export class ClaimLoop {
  readonly name: string;
  private readonly options: ResolvedLoop;
  private readonly failures: LoopFailures;
  private readonly keeper: LeaseKeeper;
  private readonly settler: Settler;
  private readonly claims: Claims;
  private readonly slots: Slots;
  private keepAlive: NodeJS.Timeout | undefined;
  private stopped: Promise<void> | undefined;
  private drained: Promise<void> | undefined;

  /** @throws InvalidOptionError naming the option, for example `concurrency` */
  constructor(private readonly parts: ClaimLoopParts) {
    const { name, source, handler, logger } = parts;
    this.name = name;
    this.options = checkLoopOptions(parts.options);
    this.failures = loopFailures(name, logger);
    this.keeper = new LeaseKeeper(this.failures.extend);
    const policy = new RetryPolicy(this.options.retry, { logger });
    const shared = { name, logger, policy, keeper: this.keeper };
    this.settler = new Settler({ ...shared, failures: this.failures.settle });
    this.claims = new Claims({
      source,
      failures: this.failures.claim,
      arrived: (deliveries) => this.slots.arrived(deliveries),
      resumed: () => this.slots.turn(),
    });
    const { options, settler, claims } = this;
    this.slots = new Slots({ ...shared, handler, options, settler, claims });
  }

  /**
   * Starts to claim; does nothing when it has started already.
   *
   * @throws ClosedError after `stop` or `drain`
   */
  start(): void {
    if (this.stopped !== undefined) throw new ClosedError(`the claim loop ${this.name}`);
    if (this.keepAlive !== undefined) return;
    // the sockets do not keep the process alive: a loop that waits for work has to
    this.keepAlive = setInterval(() => undefined, 2 ** 30);
    this.slots.turn();
  }

  /**
   * Claims no more. Resolves when the claims in the air have ended and what they still brought,
   * and what was claimed ahead, is given back. Handlers run on.
   */
  stop(): Promise<void> {
    return (this.stopped ??= this.stopOnce());
  }

  /**
   * Stops, then waits up to `graceMs` for the handlers and for their outcomes to be written. After
   * that it aborts their signals with `ShutdownError`, gives their messages back without an
   * attempt spent, and closes the source. It waits for no handler that ignores its signal, ends
   * within two seconds of the grace whatever the source does, and may be called again.
   *
   * @param graceMs whole milliseconds, 0 or more
   * @throws InvalidOptionError
   */
  async drain(graceMs: number): Promise<void> {
    checkDuration('graceMs', graceMs, { min: 0 });
    return (this.drained ??= this.drainOnce(graceMs));
  }

  health(): LoopHealth {
    const { claim, extend, settle } = this.failures;
    const lastError = claim.lastError ?? settle.lastError ?? extend.lastError;
    return {
      name: this.name,
      claiming: this.keepAlive !== undefined && this.stopped === undefined,
      stopping: this.stopped !== undefined,
      slots: this.options.concurrency,
      ...this.slots.counts,
      unsettled: this.settler.size,
      lastClaimAt: this.claims.lastAnswerAt,
      lastError: lastError === null ? null : lastError.message,
    };
  }

  private async stopOnce(): Promise<void> {
    await this.slots.clear(this.claims.stop());
    void this.finished().then(() => this.rest());
  }

  private async drainOnce(graceMs: number): Promise<void> {
    const finished = this.stop().then(() => this.finished());
    await within(graceMs, finished);
    this.settler.hurry();
    this.slots.cutShort();
    await within(WRAP_UP_MS, this.settler.idle());
    await within(WRAP_UP_MS, this.closeSource());
    this.rest();
  }

  /** All handlers have ended and their outcomes are written or given up. */
  private async finished(): Promise<void> {
    await this.slots.idle();
    await this.settler.idle();
  }

  private async closeSource(): Promise<void> {
    try {
      await this.parts.source.close();
    } catch (error) {
      this.parts.logger.warn(`${this.name}: closing failed: ${readableError(error).message}`);
    }
  }

  /** Nothing is left to keep alive: neither leases nor the process. */
  private rest(): void {
    clearInterval(this.keepAlive);
    this.keeper.stop();
  }
}
