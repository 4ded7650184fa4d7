import { MAX_TIMER_MS } from '../errors/index.js';

/**
 * Tells when a lease is over: settled, lost, or run out because nobody extended it.
 *
 * There is a timer only where somebody asked; it holds no process up.
 */
export class LeaseWatch {
  private endsAt: number;
  private isOver = false;
  private timer: NodeJS.Timeout | undefined;
  private told: Promise<void> | undefined;
  private resolve: () => void = () => undefined;

  /** Begins with the claim; on the process' own clock, which runs behind the server's count. */
  constructor(private readonly leaseMs: number) {
    this.endsAt = performance.now() + leaseMs;
  }

  /** Resolves once it is over. */
  get over(): Promise<void> {
    return (this.told ??= this.begin());
  }

  /** The lease begins anew. */
  renew(): void {
    this.endsAt = performance.now() + this.leaseMs;
  }

  end(): void {
    this.isOver = true;
    clearTimeout(this.timer);
    this.resolve();
  }

  private begin(): Promise<void> {
    if (this.isOver) return Promise.resolve();
    return new Promise((resolve) => {
      this.resolve = resolve;
      this.look();
    });
  }

  private look(): void {
    const leftMs = this.endsAt - performance.now();
    if (leftMs <= 0) return this.end();
    this.timer = setTimeout(() => this.look(), Math.min(Math.ceil(leftMs), MAX_TIMER_MS)).unref();
  }
}
