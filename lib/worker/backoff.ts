/** The first and the longest pause, in milliseconds. */
export interface BackoffLimits {
  readonly minMs: number;
  readonly maxMs: number;
}

/** Pauses after failures that follow each other: doubled each time, cut by up to a half at random. */
export class Backoff {
  private failures = 0;

  constructor(private readonly limits: BackoffLimits) {}

  next(): number {
    const { minMs, maxMs } = this.limits;
    const full = Math.min(maxMs, minMs * 2 ** this.failures);
    this.failures += 1;
    return full * (1 - Math.random() / 2);
  }

  reset(): void {
    this.failures = 0;
  }
}
