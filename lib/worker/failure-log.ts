import type { HandlerLogger } from '../contract/index.js';

/** What the two lines say. */
export interface FailureWords {
  /** For example `emails: cannot claim`. */
  readonly failing: string;
  /** For example `emails: claims again`. */
  readonly again: string;
}

/** After a line about a failure the next one is this far away: flapping must not flood the log. */
const QUIET_MS = 5_000;

/** Tells a failure once when it begins and once when it is over, however often it is reported. */
export class FailureLog {
  /** The failure that lasts; `null` while all is well. */
  lastError: Error | null = null;
  private isTold = false;
  private toldAt = -Infinity;

  constructor(
    private readonly words: FailureWords,
    private readonly logger: HandlerLogger,
  ) {}

  failed(error: Error): void {
    this.lastError = error;
    const now = performance.now();
    if (this.isTold || now - this.toldAt < QUIET_MS) return;
    this.isTold = true;
    this.toldAt = now;
    this.logger.error(`${this.words.failing}, trying on: ${error.message}`);
  }

  recovered(): void {
    if (this.lastError === null) return;
    this.lastError = null;
    if (this.isTold) this.logger.log(this.words.again);
    this.isTold = false;
  }
}

/** The three things that a loop can fail at while the handlers are well. */
export interface LoopFailures {
  readonly claim: FailureLog;
  readonly extend: FailureLog;
  readonly settle: FailureLog;
}

export function loopFailures(name: string, logger: HandlerLogger): LoopFailures {
  const log = (failing: string, again: string): FailureLog =>
    new FailureLog({ failing: `${name}: ${failing}`, again: `${name}: ${again}` }, logger);
  return {
    claim: log('cannot claim', 'claims again'),
    extend: log('cannot extend leases', 'extends leases again'),
    settle: log('cannot write outcomes', 'writes outcomes again'),
  };
}
