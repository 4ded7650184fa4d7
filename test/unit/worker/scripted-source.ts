import type {
  ClaimRequest,
  Delivery,
  DeliverySource,
  Message,
  Rejection,
} from '../../../lib/contract/index.js';

/** A source that answers when the test says so. */
export class ScriptedSource implements DeliverySource {
  /** The limits of all claims so far, in order. */
  readonly limits: number[] = [];
  isClosed = false;
  /** Takes the place of the scripted answer, for example to fail. */
  answer: ((request: ClaimRequest) => Promise<readonly Delivery[]>) | null = null;
  private open: Claim[] = [];

  claim(request: ClaimRequest): Promise<readonly Delivery[]> {
    this.limits.push(request.limit);
    if (this.answer !== null) return this.answer(request);
    return new Promise((resolve, reject) => {
      this.open.push({ resolve, reject });
      request.signal.addEventListener('abort', () => resolve([]));
    });
  }

  close(): Promise<void> {
    this.isClosed = true;
    return Promise.resolve();
  }

  /** Answers the oldest open claim. */
  bring(...deliveries: Delivery[]): void {
    this.open.shift()?.resolve(deliveries);
  }

  /** Rejects all open claims. */
  fail(error: unknown): void {
    for (const claim of this.open.splice(0)) claim.reject(error);
  }
}

interface Claim {
  readonly resolve: (deliveries: readonly Delivery[]) => void;
  readonly reject: (error: unknown) => void;
}

/** What a test wants to be different about a delivery. */
export interface FakeShape {
  readonly attempt?: number;
  readonly maxAttempts?: number | null;
  readonly unreadable?: Error | null;
  readonly leaseMs?: number;
  readonly name?: string;
}

let lastId = 0;

/** A delivery that writes down how it was settled. */
export class FakeDelivery implements Delivery {
  readonly message: Message;
  readonly fence = 7;
  readonly leaseMs: number;
  readonly maxAttempts: number | null;
  readonly unreadable: Error | null;
  readonly calls: { readonly verb: string; readonly with?: unknown }[] = [];
  /** Failures for the next settles and extensions, in order; `null` lets one through. */
  readonly failures: (Error | null)[] = [];
  private readonly listeners: ((reason: Error) => void)[] = [];

  constructor(shape: FakeShape = {}) {
    const { attempt = 1, name = '' } = shape;
    const id = `m${++lastId}`;
    this.message = { id, queue: 'q', name, payload: id, headers: {}, attempt, enqueuedAt: 0 };
    this.leaseMs = shape.leaseMs ?? 30_000;
    this.maxAttempts = shape.maxAttempts ?? null;
    this.unreadable = shape.unreadable ?? null;
  }

  onRevoked(listener: (reason: Error) => void): void {
    this.listeners.push(listener);
  }

  revoke(reason: Error): void {
    for (const listener of this.listeners) listener(reason);
  }

  ack(result?: unknown): Promise<void> {
    return this.called('ack', result);
  }

  nack(rejection: Rejection): Promise<void> {
    return this.called('nack', rejection);
  }

  release(options?: { readonly delayMs?: number }): Promise<void> {
    return this.called('release', options);
  }

  extend(): Promise<void> {
    return this.called('extend');
  }

  /** The verbs so far, without what they were called with. */
  get verbs(): string[] {
    return this.calls.map(({ verb }) => verb);
  }

  private called(verb: string, argument?: unknown): Promise<void> {
    this.calls.push({ verb, with: argument });
    const failure = this.failures.shift() ?? null;
    return failure === null ? Promise.resolve() : Promise.reject(failure);
  }
}
