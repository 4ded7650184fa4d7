import type { StreamConsumed } from './consumed.js';
import type { Deliverer } from './deliverer.js';

/** Who gets the deliveries. */
export interface PumpTarget {
  next(consumed: StreamConsumed): void;
}

/** Hands out deliveries, no more than so many unsettled at a time, until its signal aborts. */
export class DeliveryPump {
  private out = 0;
  private onChange: (() => void) | null = null;

  constructor(
    private readonly deliverer: Deliverer,
    private readonly slots: number,
    private readonly signal: AbortSignal,
  ) {}

  /** Resolves when the signal has aborted and what nobody was handed is given back. */
  async run(target: PumpTarget): Promise<void> {
    this.signal.addEventListener('abort', this.changed, { once: true });
    while (!this.isOver()) {
      const consumed = await this.deliverer.next(this.slots - this.out, this.signal);
      for (const one of consumed) await this.hand(one, target);
      while (this.out >= this.slots && !this.isOver()) await this.change();
    }
    await this.deliverer.giveBack([]);
  }

  private isOver(): boolean {
    return this.signal.aborted || this.deliverer.isClosed;
  }

  private async hand(one: StreamConsumed, target: PumpTarget): Promise<void> {
    if (this.signal.aborted) return this.deliverer.giveBack([one]);
    this.out += 1;
    void one.settled.then(() => {
      this.out -= 1;
      this.changed();
    });
    target.next(one);
  }

  /** One wait after the other, none left behind: a race of promises would keep what lost it. */
  private change(): Promise<void> {
    return new Promise((resolve) => (this.onChange = resolve));
  }

  private readonly changed = (): void => {
    this.onChange?.();
    this.onChange = null;
  };
}
