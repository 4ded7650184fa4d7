import { codesInOrder, OpenCalls } from '../delivery/index.js';
import { encodeName, type KeySpace } from '../redis/index.js';
import { isForeign, readNewEntries, toEntry, type RawEntry, type StreamEntry } from './entry.js';
import { outcomeArguments, type StreamOutcome } from './outcome.js';
import { joinGroup } from './stream-group.js';
import { spaceOf, type StreamsCore } from './streams.core.js';
import { extendScript, leaveScript, settleScript, type SettleReply } from './streams.scripts.js';

/** Who claims, and by which rules. */
export interface LaneTerms {
  readonly group: string;
  /** Unique to this consumer. */
  readonly consumer: string;
  readonly leaseMs: number;
  /** Take-overs of an entry before it is dead-lettered; 0 is no limit. */
  readonly maxDeliveries: number;
  /** Runs of a message before a take-over dead-letters it; 0 is no limit. */
  readonly maxAttempts: number;
}

/** What one call of a lane brought. */
export interface LaneReply {
  /** Per outcome: 1 settled, 0 lease lost, -2 refused. */
  readonly codes: readonly number[];
  readonly entries: readonly StreamEntry[];
  readonly nextInMs: number;
}

interface Arrived {
  readonly entries: RawEntry[];
  /** On this process' own clock. */
  readonly at: number;
}

/** Own lapsed entries that one call may take back. */
const MAX_MINE = 100;

/** One queue as one consumer of a group sees it. */
export class StreamLane {
  readonly streamKey: string;
  /** Lists that ring for it: something delayed is due earlier, something was given back. */
  readonly bells: readonly string[];
  private readonly space: KeySpace;
  private readonly calls = new OpenCalls();
  /** Entries that are held here and whose settle was not sent yet. */
  private readonly held = new Set<string>();
  private arrived: Arrived[] = [];
  private cursor = '';
  private takeOverAt = 0;
  private mine: string[] = [];
  private isJoined: boolean;
  private hasClaimed = false;

  constructor(
    private readonly core: StreamsCore,
    readonly queue: string,
    private readonly terms: LaneTerms,
  ) {
    this.space = spaceOf(core, queue);
    this.streamKey = this.space.key('stream');
    this.bells = [this.space.key('signal'), this.space.key('signal', encodeName(terms.group))];
    this.isJoined = core.settings.from === 'start'; // the first claim makes the group from there
  }

  get hasArrived(): boolean {
    return this.arrived.length > 0;
  }

  /** Takes what a blocking read brought; the next claim hands it out. */
  arrive(rawEntries: unknown): void {
    const entries = readNewEntries(rawEntries);
    for (const { id } of entries) this.held.add(id);
    this.arrived.push({ entries, at: performance.now() });
  }

  /** The next claim looks for entries to take over, whatever the time. */
  takeOverSoon(): void {
    this.takeOverAt = 0;
  }

  /** The holder is through with an entry, as far as this process is concerned. */
  forget(entryId: string): void {
    this.held.delete(entryId);
  }

  /** Makes the group where it begins with what comes from now on. */
  async join(): Promise<void> {
    if (this.isJoined) return;
    const { settings } = this.core;
    await joinGroup(this.core, this.space, { group: this.terms.group, from: settings.from });
    this.isJoined = true;
  }

  /** Settles outcomes and claims up to `limit` entries; 0 passes a ring on, -1 claims nothing. */
  async send(
    outcomes: readonly StreamOutcome[],
    limit: number,
    signal?: AbortSignal,
  ): Promise<LaneReply> {
    if (limit > 0) await this.join();
    const { own: adopted, foreign } = this.adopt(limit);
    const all = foreign.length > 0 ? [...outcomes, ...foreign] : outcomes;
    const wanted = limit > 0 && adopted.length >= limit ? -1 : limit - Math.max(0, adopted.length);
    const mine = wanted > 0 ? this.mine.splice(0, MAX_MINE) : [];
    const cursor = wanted > 0 ? this.cursorNow() : '';
    const want = { limit: wanted, adopted: adopted.length, mine, cursor };
    const since = performance.now();
    const reply = await this.call(all, want, signal).catch((error: unknown) => {
      this.letGo(adopted);
      throw error;
    });
    if (wanted > 0) this.remember(reply, cursor);
    const isLate = performance.now() - since > this.terms.leaseMs / 2;
    const raw = [...reply.taken, ...(isLate ? this.letGo(adopted) : adopted), ...reply.fresh];
    const entries = raw.flatMap((one, at) => {
      if (one.fields.length === 0) return [];
      this.held.add(one.id);
      return [toEntry(one, this.queue, reply.firstFence + at)];
    });
    const codes = codesInOrder(all, reply.codes);
    return { codes: codes.slice(0, outcomes.length), entries, nextInMs: reply.nextInMs };
  }

  /** Prolongs leases; a code a claim: 1 prolonged, 0 lost. */
  extend(claims: readonly { entryId: string; token: string }[]): Promise<readonly number[]> {
    const { group, consumer } = this.terms;
    return extendScript.run(this.core.connection, this.space, {
      group,
      consumer,
      claims: claims.flatMap(({ entryId, token }) => [entryId, token]),
    });
  }

  /** Gives back what arrived and was not handed out; what is for another group is done with. */
  async giveBack(): Promise<void> {
    const back = this.arrived.splice(0).flatMap(({ entries }) => entries);
    if (back.length === 0) return;
    for (const { id } of back) this.held.delete(id);
    const isOthers = (one: RawEntry) => isForeign(one, this.terms.group);
    await this.send(
      back.map((one) => (isOthers(one) ? this.acked(one) : this.released(one))),
      -1,
    );
  }

  /** Removes the consumer's name if nothing is pending for it; answers whether it is gone. */
  leave(): Promise<boolean> {
    const { group, consumer } = this.terms;
    return leaveScript.run(this.core.connection, this.space, { group, consumer });
  }

  /** Nobody gets them now: they come back like anything that was lost on its way. */
  private letGo(adopted: readonly RawEntry[]): RawEntry[] {
    for (const { id } of adopted) this.held.delete(id);
    return adopted.map((one) => ({ ...one, fields: [] }));
  }

  private call(
    outcomes: readonly StreamOutcome[],
    want: { limit: number; adopted: number; mine: readonly string[]; cursor: string },
    signal: AbortSignal | undefined,
  ): Promise<SettleReply> {
    const { acks, ended, outcomes: flat } = outcomeArguments(outcomes);
    const { mine, ...rest } = want;
    const args = {
      ...this.terms,
      ...rest,
      acks,
      ended,
      mine: mine.length,
      deadMaxLen: this.core.settings.deadMaxLen,
      outcomesAndMine: flat.concat(mine),
    };
    return this.calls.run((name) =>
      settleScript.run(
        this.core.connection,
        this.space,
        { ...args, ...name },
        signal && { signal },
      ),
    );
  }

  /**
   * What arrived, up to the limit. What lay here for long may be someone else's by now; it is
   * left to be taken over like anything that was lost on its way.
   */
  private adopt(limit: number): { own: RawEntry[]; foreign: StreamOutcome[] } {
    const own: RawEntry[] = [];
    const foreign: StreamOutcome[] = [];
    if (limit <= 0 || this.arrived.length === 0) return { own, foreign };
    const isOld = ({ at }: Arrived) => performance.now() - at > this.terms.leaseMs / 2;
    for (const { entries } of this.arrived.filter(isOld))
      for (const { id } of entries) this.held.delete(id);
    const all = this.arrived.filter((one) => !isOld(one)).flatMap(({ entries }) => entries);
    const at = this.arrived.at(-1)?.at ?? 0;
    for (const one of all.splice(0, limit)) {
      if (!isForeign(one, this.terms.group)) own.push(one);
      else foreign.push(this.acked(one));
    }
    for (const { id } of foreign) this.held.delete(id);
    this.arrived = all.length > 0 ? [{ entries: all, at }] : [];
    return { own, foreign };
  }

  private cursorNow(): string {
    if (this.cursor !== '') return this.cursor;
    return performance.now() >= this.takeOverAt ? '-' : '';
  }

  private remember(reply: SettleReply, asked: string): void {
    if (asked !== '') {
      this.cursor = reply.cursor;
      this.takeOverAt = performance.now() + this.core.settings.blockMs - TIMER_SLACK_MS;
      this.mine = reply.own.filter((id) => !this.held.has(id)).slice(0, MAX_MINE);
    }
    if (reply.isHealed && this.hasClaimed) {
      this.core.logger.warn(
        `streams:${this.queue}: the group "${this.terms.group}" was gone and begins anew`,
      );
    }
    this.hasClaimed = true;
  }

  private acked(one: RawEntry): StreamOutcome {
    return { verb: 'ack', queue: this.queue, id: one.id, token: tokenOf(one) };
  }

  private released(one: RawEntry): StreamOutcome {
    const place = { queue: this.queue, id: one.id, token: tokenOf(one) };
    return { verb: 'release', ...place, delayMs: 0, reason: '' };
  }
}

/** A read that ends a little early must not make a take-over wait for the next one. */
const TIMER_SLACK_MS = 10;

function tokenOf({ count, releases }: RawEntry): string {
  return `${count}.${releases}`;
}
