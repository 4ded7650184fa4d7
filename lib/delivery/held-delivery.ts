import type { Delivery, Message, Rejection } from '../contract/index.js';
import { checkDuration, reasonOf } from '../errors/index.js';
import { Revocation } from './revocation.js';

/** How a run ends that is not acked: another attempt, none any more, or as if it had not begun. */
export interface Ending {
  readonly verb: 'retry' | 'fail' | 'release';
  /** Whole milliseconds until it is deliverable again. */
  readonly delayMs: number;
  readonly reason: string;
}

/** What a delivery of any engine is; an engine adds its message, and how it settles. */
export abstract class HeldDelivery implements Delivery {
  abstract readonly message: Message;
  abstract readonly fence: number;
  abstract readonly leaseMs: number;
  abstract readonly unreadable: Error | null;
  private readonly revocation = new Revocation();

  /** No limit of the producer's own, unless an engine has one. */
  get maxAttempts(): number | null {
    return null;
  }

  onRevoked(listener: (reason: Error) => void): void {
    this.revocation.onRevoked(listener);
  }

  /** Tells the listeners, once, that this claim is void. */
  revoke(reason: Error): void {
    this.revocation.revoke(reason);
  }

  async nack({ error, retryInMs }: Rejection): Promise<void> {
    const verb = retryInMs === null ? 'fail' : 'retry';
    await this.end({ verb, delayMs: Math.ceil(retryInMs ?? 0), reason: reasonOf(error) });
  }

  async release({ delayMs = 0 }: { readonly delayMs?: number } = {}): Promise<void> {
    checkDuration('delayMs', delayMs, { min: 0 });
    await this.end({ verb: 'release', delayMs, reason: '' });
  }

  abstract ack(result?: unknown): Promise<void>;
  abstract extend(): Promise<void>;
  protected abstract end(ending: Ending): Promise<void>;
}
