import type { Message } from './message.js';

/** Why a run did not end well, and when to try again. */
export interface Rejection {
  readonly error: Error;
  /** Milliseconds until the next attempt; `null` sends the message to the dead letters. */
  readonly retryInMs: number | null;
}

/**
 * One message held by this process under a lease.
 *
 * It is settled once, by `ack`, `nack` or `release`. A settle whose lease was lost meanwhile
 * rejects with `LeaseLostError` and changes nothing: someone else holds the message.
 */
export interface Delivery<Payload = unknown> {
  readonly message: Message<Payload>;
  /** A number that only grows for that queue, to write `WHERE fence < ?`. */
  readonly fence: number;
  /** How long the lease lasts from the claim or the last `extend`, in milliseconds. */
  readonly leaseMs: number;
  /** The producer's own limit of attempts; `null` leaves it to the processor. */
  readonly maxAttempts: number | null;
  /**
   * Set when the message cannot be handed to a handler (its body does not decode): the loop
   * dead-letters it with this reason, once, without calling the handler.
   */
  readonly unreadable: Error | null;
  /**
   * Calls `listener` once when the lease is lost or the message was cancelled, with the reason;
   * at once when that has happened already. A listener and no AbortSignal, since making one per
   * message costs more than the rest of the hand-over together (2.6 microseconds on Node 20).
   */
  onRevoked(listener: (reason: Error) => void): void;
  /** An engine that stores results refuses one that it cannot store; others do not look at it. */
  ack(result?: unknown): Promise<void>;
  nack(rejection: Rejection): Promise<void>;
  /** Gives the message back without spending an attempt (shutdown, `RetryLaterError`). */
  release(options?: { readonly delayMs?: number }): Promise<void>;
  /** Prolongs the lease by `leaseMs` from now; rejects with `LeaseLostError`. */
  extend(): Promise<void>;
}

/** How many deliveries are wanted, and until when the caller waits for them. */
export interface ClaimRequest {
  readonly limit: number;
  readonly signal: AbortSignal;
}

/** Where a claim loop claims from: one queue (and its job types) of one engine. */
export interface DeliverySource<Payload = unknown> {
  /**
   * What is deliverable now, at most `limit`. Waits on the doorbell (or until the next known due
   * time) when there is nothing, and answers `[]` once `signal` aborts. Calls may overlap: the
   * source gathers the settles of one tick and the claims beside them into one round trip.
   */
  claim(request: ClaimRequest): Promise<readonly Delivery<Payload>[]>;
  /** Sends what is still to be settled and frees what the source holds. */
  close(): Promise<void>;
}
