/**
 * Tells, once, that a delivery is no longer its holder's.
 *
 * Listeners and no AbortSignal, see `Delivery.onRevoked`.
 */
export class Revocation {
  private reason: Error | null = null;
  private listeners: ((reason: Error) => void)[] | null = null;

  /** Calls `listener` with the reason, at once when it is known already. */
  onRevoked(listener: (reason: Error) => void): void {
    if (this.reason !== null) listener(this.reason);
    else (this.listeners ??= []).push(listener);
  }

  /** Tells the listeners; the first reason stays. */
  revoke(reason: Error): void {
    if (this.reason !== null) return;
    this.reason = reason;
    for (const listener of this.listeners ?? []) listener(reason);
    this.listeners = null;
  }
}
