import type { Delivery, Message, Rejection } from '../contract/index.js';
import { checkDuration } from '../errors/index.js';
import { decode, encode, toMessage, type MemoryRecord } from './memory-message.js';

/** On what terms a message was claimed. */
export interface MemoryTerms {
  readonly leaseMs: number;
  /** Attempts of a message whose producer named no limit. */
  readonly attempts: number;
}

/** Where a delivery is settled: its queue. */
export interface MemoryDesk {
  ack(delivery: MemoryDelivery, result: string | null): void;
  nack(delivery: MemoryDelivery, how: { reason: string; retryInMs: number | null }): void;
  release(delivery: MemoryDelivery, delayMs: number): void;
  extend(delivery: MemoryDelivery): void;
}

/** One message of a `MemoryEngine` under a lease. */
export class MemoryDelivery implements Delivery {
  readonly message: Message;
  readonly unreadable: Error | null;
  readonly fence: number;
  readonly leaseMs: number;
  readonly maxAttempts: number | null;
  /** When the lease is over, on the engine's clock. */
  leaseEndsAt = 0;
  private revokedBy: Error | null = null;
  private listeners: ((reason: Error) => void)[] = [];

  constructor(
    readonly record: MemoryRecord,
    readonly terms: MemoryTerms,
    private readonly desk: MemoryDesk,
  ) {
    const { payload, unreadable } = decode(record.body);
    this.message = toMessage(record, payload);
    this.unreadable = unreadable;
    this.fence = record.fence;
    this.maxAttempts = record.maxAttempts;
    this.leaseMs = terms.leaseMs;
  }

  onRevoked(listener: (reason: Error) => void): void {
    if (this.revokedBy === null) this.listeners.push(listener);
    else listener(this.revokedBy);
  }

  /** Tells the holder, once, that the message is no longer its own. */
  revoke(reason: Error): void {
    if (this.revokedBy !== null) return;
    this.revokedBy = reason;
    for (const listener of this.listeners.splice(0)) listener(reason);
  }

  /** @throws PayloadError | LeaseLostError */
  async ack(result?: unknown): Promise<void> {
    const text = result === undefined ? null : encode(result);
    return answer(() => this.desk.ack(this, text));
  }

  /** @throws InvalidOptionError | LeaseLostError */
  async nack({ error, retryInMs }: Rejection): Promise<void> {
    if (retryInMs !== null) checkDuration('retryInMs', retryInMs, { min: 0 });
    return answer(() => this.desk.nack(this, { reason: error.message, retryInMs }));
  }

  /** @throws InvalidOptionError | LeaseLostError */
  async release({ delayMs = 0 }: { readonly delayMs?: number } = {}): Promise<void> {
    checkDuration('delayMs', delayMs, { min: 0 });
    return answer(() => this.desk.release(this, delayMs));
  }

  /** @throws LeaseLostError */
  async extend(): Promise<void> {
    return answer(() => this.desk.extend(this));
  }
}

/** Carries a call out at once and answers later, as a server does. */
function answer(call: () => void): Promise<void> {
  return new Promise((resolve) => {
    call();
    resolve();
  });
}
