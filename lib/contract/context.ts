import type { Message } from './message.js';

/** What a handler gets beside its message. */
export interface ProcessContext {
  /** Aborts on a lost lease, on cancel, on the run's time limit and when the shutdown limit is over. */
  readonly signal: AbortSignal;
  /** Which run this is: 1 for the first. */
  readonly attempt: number;
  /** Grows with every claim of the queue: write `WHERE fence < ?` to keep a late holder out. */
  readonly fence: number;
  /** Prolongs the lease now; the loop does so by itself at a third of the lease. */
  extend(): Promise<void>;
  readonly logger: HandlerLogger;
}

/** The part of Nest's LoggerService that the library calls; any Nest logger fits. */
export interface HandlerLogger {
  /** What happened as planned: started, stopped, connected again. */
  log(message: unknown, ...rest: unknown[]): void;
  /** What is lost or given up unless somebody acts. */
  error(message: unknown, ...rest: unknown[]): void;
  /** What failed and is tried again. */
  warn(message: unknown, ...rest: unknown[]): void;
  /** Attempts that failed and will be repeated. */
  debug?(message: unknown, ...rest: unknown[]): void;
}

/** Runs one message; what it returns is the result, what it throws is the failure. */
export type Handler = (message: Message, context: ProcessContext) => unknown;
