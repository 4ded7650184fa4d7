import type { ClaimRequest, DeliverySource } from '../contract/index.js';
import { LeaseLostError, OperationalError } from '../errors/index.js';
import { Exchange, Gatherer, type ExchangeReply } from '../delivery/index.js';
import type { StreamEntry } from './entry.js';
import { IdleWait } from './idle-wait.js';
import type { StreamOutcome } from './outcome.js';
import { StreamDelivery, type DeliveryPort } from './stream.delivery.js';
import { StreamLane, type LaneTerms } from './stream.lane.js';
import type { StreamsCore } from './streams.core.js';
import { MAX_BATCH, type StreamsSettings } from './streams.options.js';

/** What a consumer wants, checked. */
export interface SourceTerms extends LaneTerms {
  readonly queues: readonly string[];
  readonly slots: number;
}

const SETTLED = 1;
const REFUSED = -2;

/** Where a consumer of a group claims from: one queue or several, in one round trip each. */
export class StreamSource implements DeliverySource, DeliveryPort {
  readonly group: string;
  readonly leaseMs: number;
  readonly settings: StreamsSettings;
  private readonly exchange: Exchange<StreamOutcome, StreamEntry>;
  private readonly lanes = new Map<string, StreamLane>();
  private readonly idle: IdleWait;
  private readonly extensions: Gatherer<StreamDelivery, number>;
  private readonly failures = new WeakMap<StreamOutcome, Error>();
  /** Which queue is asked first; the others follow. */
  private turn = 0;
  private wanted = 1;
  private closing: Promise<void> | undefined;
  /** What is settled from now on is late: the name may have stayed for its sake alone. */
  private isLeaving = false;
  private readonly leaves = new Gatherer<StreamLane | undefined, void>({
    maxItems: MAX_BATCH,
    maxCalls: 1, // one sent before the last settle would find it pending
    send: (lanes) =>
      Promise.all(lanes.map((lane, at) => leaveOnce(lane, lanes.indexOf(lane) === at))),
  });

  constructor(core: StreamsCore, terms: SourceTerms) {
    const { group, consumer, queues, slots, leaseMs } = terms;
    this.group = group;
    this.leaseMs = leaseMs;
    this.settings = core.settings;
    for (const queue of queues)
      this.lanes.set(queue, new StreamLane(core, queue, laneTerms(terms)));
    this.idle = new IdleWait({ core, group, consumer, lanes: [...this.lanes.values()] });
    const port = {
      send: (outcomes: readonly StreamOutcome[], limit: number, signal?: AbortSignal) =>
        this.send(outcomes, limit, signal),
      wait: (timeoutMs: number, signal: AbortSignal) =>
        this.idle.wait({ count: this.wanted, timeoutMs, signal }),
    };
    this.exchange = new Exchange(port, slots);
    this.extensions = new Gatherer({
      maxItems: MAX_BATCH,
      send: (deliveries) => this.sendExtensions(deliveries),
    });
  }

  /** Whether blocking reads fail at the moment. */
  get isFailing(): boolean {
    return this.idle.isFailing;
  }

  async claim(request: ClaimRequest): Promise<readonly StreamDelivery[]> {
    const entries = await this.exchange.claim(request);
    return entries.map((entry) => new StreamDelivery(entry, this));
  }

  /**
   * Sends what is still to be settled, gives back what nobody was handed, and removes the
   * consumer's name where nothing is pending for it. What is held may still be settled after it;
   * the last of that removes the name.
   */
  close(): Promise<void> {
    return (this.closing ??= this.shut());
  }

  /** Gives back what came for claims that others had served already. */
  async giveBackSpare(): Promise<void> {
    await this.exchange.flush();
    const spare = this.exchange.takeSpare();
    await Promise.all(spare.map((entry) => new StreamDelivery(entry, this).release()));
  }

  /** Removes the consumer's name where nothing is pending for it any more. */
  async leave(): Promise<void> {
    await Promise.all([...this.lanes.values()].map((lane) => lane.leave()));
  }

  async settle(outcome: StreamOutcome): Promise<void> {
    const lane = this.lanes.get(outcome.queue);
    const code = await this.exchange.settle(outcome).finally(() => lane?.forget(outcome.id));
    if (this.isLeaving) await this.leaves.add(lane);
    if (code === SETTLED) return;
    const failure = this.failures.get(outcome); // of its own queue's call, beside others that did not fail
    if (failure !== undefined) throw failure;
    throw code === REFUSED ? refused(outcome) : lostLease(outcome.id);
  }

  async extend(delivery: StreamDelivery): Promise<void> {
    if ((await this.extensions.add(delivery)) === 1) return;
    const { entryId, queue } = delivery.entry;
    const error = lostLease(entryId);
    this.lanes.get(queue)?.forget(entryId);
    delivery.revoke(error);
    throw error;
  }

  private async shut(): Promise<void> {
    await this.exchange.flush();
    await this.idle.close();
    await this.giveBackSpare();
    await Promise.all([...this.lanes.values()].map((lane) => lane.giveBack()));
    this.isLeaving = true;
    await this.leave();
  }

  private async send(
    outcomes: readonly StreamOutcome[],
    limit: number,
    signal: AbortSignal | undefined,
  ): Promise<ExchangeReply<StreamEntry>> {
    if (limit > 0) this.wanted = limit;
    if (limit === 0) return this.stand();
    const [only] = this.lanes.values();
    if (this.lanes.size > 1) return this.sendToAll(outcomes, limit, signal);
    const { entries, ...rest } = await only.send(outcomes, limit, signal);
    return { ...rest, items: entries };
  }

  /** Nobody waits any more: what arrived for them goes back. */
  private async stand(): Promise<ExchangeReply<StreamEntry>> {
    await Promise.all([...this.lanes.values()].map((lane) => lane.giveBack()));
    return { codes: [], items: [], nextInMs: -1 };
  }

  /**
   * One queue after the other, each call the next one first, until the limit is reached. Where one
   * fails, what the others brought is kept, and only its own outcomes fail.
   */
  private async sendToAll(
    outcomes: readonly StreamOutcome[],
    limit: number,
    signal: AbortSignal | undefined,
  ): Promise<ExchangeReply<StreamEntry>> {
    const items: StreamEntry[] = [];
    const codes = new Map<StreamOutcome, number>();
    let [nextInMs, answers] = [-1, 0];
    let failure: Error | undefined;
    for (const lane of this.inTurn(limit > 0)) {
      const own = outcomes.filter(({ queue }) => queue === lane.queue);
      const left = limit - items.length;
      if (own.length === 0 && left <= 0) continue;
      try {
        const reply = await lane.send(own, left > 0 ? left : -1, signal);
        own.forEach((outcome, at) => codes.set(outcome, reply.codes[at]));
        items.push(...reply.entries);
        nextInMs = sooner(nextInMs, reply.nextInMs);
        answers += own.length + reply.entries.length;
      } catch (error) {
        failure = error as Error;
        for (const outcome of own) this.failures.set(outcome, failure);
      }
    }
    if (failure && answers === 0) throw failure;
    return { codes: outcomes.map((outcome) => codes.get(outcome) ?? 0), items, nextInMs };
  }

  private inTurn(isClaim: boolean): StreamLane[] {
    const lanes = [...this.lanes.values()];
    const first = this.turn % lanes.length;
    if (isClaim) this.turn += 1;
    return [...lanes.slice(first), ...lanes.slice(0, first)];
  }

  private async sendExtensions(deliveries: readonly StreamDelivery[]): Promise<readonly number[]> {
    const codes = new Map<StreamDelivery, number>();
    for (const lane of this.lanes.values()) {
      const own = deliveries.filter(({ entry }) => entry.queue === lane.queue);
      if (own.length === 0) continue;
      const answers = await lane.extend(own.map(({ entry }) => entry));
      own.forEach((delivery, at) => codes.set(delivery, answers[at]));
    }
    return deliveries.map((delivery) => codes.get(delivery) ?? 0);
  }
}

function laneTerms({ group, consumer, leaseMs, maxDeliveries, maxAttempts }: LaneTerms): LaneTerms {
  return { group, consumer, leaseMs, maxDeliveries, maxAttempts };
}

async function leaveOnce(lane: StreamLane | undefined, isFirst: boolean): Promise<void> {
  if (isFirst) await lane?.leave().catch(() => undefined); // swept later
}

function sooner(one: number, other: number): number {
  if (one < 0) return other;
  return other < 0 ? one : Math.min(one, other);
}

function lostLease(entryId: string): LeaseLostError {
  return new LeaseLostError(
    `entry ${entryId} is not pending under this delivery: it is settled, or someone else holds it`,
  );
}

function refused({ verb, id }: StreamOutcome): OperationalError {
  return new OperationalError(
    `the server refused to store what ${verb} of entry ${id} brings; it is still held`,
    { retryable: true, outcomeAmbiguous: false },
  );
}
