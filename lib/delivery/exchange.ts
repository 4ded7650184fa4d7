import type { ClaimRequest } from '../contract/index.js';

/** What one call brings back: a code per outcome, the claimed items, and when to look again. */
export interface ExchangeReply<Item> {
  readonly codes: readonly number[];
  readonly items: readonly Item[];
  /** Milliseconds until something becomes due, -1 when nothing is known. */
  readonly nextInMs: number;
}

/** The engine's side of an exchange. */
export interface ExchangePort<Outcome, Item> {
  /**
   * Settles `outcomes` and claims up to `limit` items in one call; `limit` -1 claims nothing. The
   * signal comes with calls that settle nothing, and aborts when nobody waits for them any more.
   */
  send(
    outcomes: readonly Outcome[],
    limit: number,
    signal?: AbortSignal,
  ): Promise<ExchangeReply<Item>>;
  /** Waits on the doorbell, at most `timeoutMs`. */
  wait(timeoutMs: number, signal: AbortSignal): Promise<void>;
}

interface Settle<Outcome> {
  readonly outcome: Outcome;
  readonly resolve: (code: number) => void;
  readonly reject: (error: unknown) => void;
}

interface Wanted<Item> {
  readonly request: ClaimRequest;
  readonly resolve: (items: readonly Item[]) => void;
  readonly reject: (error: unknown) => void;
  readonly onAbort: () => void;
}

/** Outcomes in one call: enough to fill it, few enough not to hold the server. */
const MAX_OUTCOMES = 250;
/** Calls open at a time: one is on its way while the server works on the other. */
const MAX_CALLS = 2;
/** Items asked for in one call. */
const MAX_ITEMS = 250;

/**
 * Gathers what a loop settles and claims in one tick into one call, and keeps few calls open.
 *
 * How many, was measured with jobs whose handlers do nothing (drain, jobs a second with one call
 * open, two, and three): 5 slots 32,600, 26,200 and 16,000 (a call a slot); 10 slots 34,700, 37,600
 * and 31,700; the prototype had 62,100 and 84,700 with one and two at 100 slots. Claims that find
 * nothing wait together for the doorbell.
 */
export class Exchange<Outcome, Item> {
  private readonly outcomes: Settle<Outcome>[] = [];
  private readonly wanted: Wanted<Item>[] = [];
  private readonly maxCalls: number;
  private readonly share: number;
  private readonly flushes: (() => void)[] = [];
  /** Came for a claim that another call had served already; the next claim takes them. */
  private spare: Item[] = [];
  private calls = 0;
  private asked = 0;
  private planned = false;
  /** Nothing is known to wait: one claim asks for all, or idle slots would ask one by one. */
  private isProbing = true;
  private parked: AbortController | null = null;
  /** Aborts when every claim is withdrawn. */
  private leaving = new AbortController();
  /** Waits that have ended: a call sent before such an end may have looked too early. */
  private wakes = 0;

  constructor(
    private readonly port: ExchangePort<Outcome, Item>,
    slots: number,
  ) {
    this.maxCalls = Math.min(slots, MAX_CALLS);
    this.share = Math.min(MAX_ITEMS, Math.ceil(slots / this.maxCalls));
  }

  /** Resolves with the code that the server gave this outcome. */
  settle(outcome: Outcome): Promise<number> {
    return new Promise((resolve, reject) => {
      this.outcomes.push({ outcome, resolve, reject });
      this.plan();
    });
  }

  /** Resolves with at least one item, or with none once the request's signal aborts. */
  claim(request: ClaimRequest): Promise<readonly Item[]> {
    if (request.signal.aborted) return Promise.resolve([]);
    if (this.spare.length > 0) return Promise.resolve(this.spare.splice(0, request.limit));
    if (this.leaving.signal.aborted) this.leaving = new AbortController();
    return new Promise((resolve, reject) => {
      const onAbort = () => this.withdrawAborted();
      this.wanted.push({ request, resolve, reject, onAbort });
      request.signal.addEventListener('abort', onAbort, { once: true });
      this.plan();
    });
  }

  /** Resolves once everything handed over has been answered. */
  flush(): Promise<void> {
    if (this.isQuiet()) return Promise.resolve();
    return new Promise((resolve) => this.flushes.push(resolve));
  }

  /** What was claimed and handed to nobody, for its owner to give back. */
  takeSpare(): readonly Item[] {
    return this.spare.splice(0);
  }

  private isQuiet(): boolean {
    return this.outcomes.length === 0 && this.calls === 0;
  }

  private plan(): void {
    if (this.planned || this.calls >= this.maxCalls) return;
    this.planned = true;
    setImmediate(this.pump);
  }

  private readonly pump = (): void => {
    this.planned = false;
    while (this.calls < this.maxCalls) {
      const limit = this.nextLimit();
      if (this.outcomes.length === 0 && (limit <= 0 || this.parked !== null)) return;
      void this.call(this.outcomes.splice(0, MAX_OUTCOMES), limit > 0 ? limit : -1);
    }
  };

  private nextLimit(): number {
    let open = -this.asked;
    for (const { request } of this.wanted) open += request.limit;
    return Math.min(open, this.isProbing ? MAX_ITEMS : this.share);
  }

  private async call(settles: readonly Settle<Outcome>[], limit: number): Promise<void> {
    const asked = Math.max(limit, 0);
    const { wakes } = this;
    this.calls++;
    this.asked += asked;
    try {
      const reply = await this.port.send(
        settles.map((one) => one.outcome),
        limit,
        settles.length === 0 ? this.leaving.signal : undefined,
      );
      this.calls--;
      this.asked -= asked;
      settles.forEach((one, at) => one.resolve(reply.codes[at]));
      if (asked > 0) this.isProbing = reply.items.length === 0;
      this.hand(reply.items);
      if (asked > 0 && reply.items.length === 0 && wakes === this.wakes) this.park(reply.nextInMs);
    } catch (error) {
      this.calls--;
      this.asked -= asked;
      for (const one of settles) one.reject(error);
      if (asked > 0) this.fail(error);
    }
    this.withdrawAborted();
    if (this.outcomes.length > 0 || this.wanted.length > 0) this.plan();
    if (this.isQuiet()) for (const resolve of this.flushes.splice(0)) resolve();
  }

  private hand(items: readonly Item[]): void {
    let at = 0;
    while (at < items.length && this.wanted.length > 0) {
      const next = this.wanted[0];
      const part = items.slice(at, at + next.request.limit);
      at += part.length;
      this.take(next).resolve(part);
    }
    this.spare.push(...items.slice(at));
    if (this.wanted.length === 0) this.parked?.abort();
  }

  private take(one: Wanted<Item>): Wanted<Item> {
    this.wanted.splice(this.wanted.indexOf(one), 1);
    one.request.signal.removeEventListener('abort', one.onAbort);
    return one;
  }

  /** Claims for which another call is still open are left to it. */
  private fail(error: unknown): void {
    if (this.asked > 0) return;
    for (const one of [...this.wanted]) {
      if (one.request.signal.aborted) this.take(one).resolve([]);
      else this.take(one).reject(error);
    }
  }

  /** An aborted claim ends at once, unless a call is open that may bring what it asked for. */
  private withdrawAborted(): void {
    const aborted = this.wanted.filter(({ request }) => request.signal.aborted);
    if (aborted.length > 0 && aborted.length === this.wanted.length) this.leaving.abort();
    if (this.asked > 0) return;
    for (const one of aborted) this.take(one).resolve([]);
    if (this.wanted.length === 0) this.parked?.abort();
  }

  private park(nextInMs: number): void {
    if (this.parked !== null || this.wanted.length === 0) return;
    const parked = new AbortController();
    this.parked = parked;
    const timeoutMs = nextInMs < 0 ? Infinity : Math.max(1, nextInMs);
    void this.port.wait(timeoutMs, parked.signal).then(() => this.wake());
  }

  /** The bell rang, something is due, or nobody waits any more: then a ring is passed on. */
  private wake(): void {
    this.parked = null;
    this.wakes++;
    if (this.wanted.length > 0) this.plan();
    else this.port.send([], 0).catch(() => undefined);
  }
}
