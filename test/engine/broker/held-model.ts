import type { HoldOutcome, MessageState } from '../../../lib/broker/index.js';

/** What a handler made of a row. */
interface ModelRun {
  state: 'held' | 'postponed' | 'waiting' | 'dead' | 'acked';
  fence: number;
  attempts: number;
  readonly limit: number;
}

export interface ModelRow {
  readonly id: bigint;
  state: MessageState | 'dead';
  queue: string;
  run: ModelRun | null;
  /** Whether its lease or its delay is over, though nobody has looked since. */
  isLapsed: boolean;
}

/** A claim as its holder knows it. */
export interface ModelHold {
  readonly queue: string;
  readonly id: bigint;
  readonly fence: number;
}

const AFTER: Readonly<Record<HoldOutcome['verb'], readonly ModelRun['state'][]>> = {
  ack: ['acked'],
  fail: ['dead'],
  retry: ['waiting', 'postponed'],
  release: ['waiting', 'postponed'],
};

/** The part of the model that handlers see: claims, settles, leases and dead letters. */
export class HeldModel {
  protected list: ModelRow[] = [];

  /** Takes what a claim should take; answers ids and attempts. */
  hold(queue: string, fences: readonly number[], terms: { limit: number; attempts: number }) {
    this.recover(queue);
    const taken = this.in(queue, 'pending').slice(0, terms.limit);
    return taken.map((row, at) => {
      const attempts = (row.run?.attempts ?? 0) + 1;
      row.run = { state: 'held', fence: fences[at], attempts, limit: terms.attempts };
      row.state = 'reserved';
      return { id: row.id, attempt: attempts };
    });
  }

  /** Settles, answers the code. */
  settle(
    { id, fence }: ModelHold,
    { verb, delayMs }: Pick<HoldOutcome, 'verb' | 'delayMs'>,
  ): 0 | 1 {
    const row = this.find(id);
    if (row?.run?.fence !== fence) return 0;
    if (row.run.state !== 'held') return AFTER[verb].includes(row.run.state) ? 1 : 0;
    row.isLapsed = false;
    if (verb === 'ack') [row.state, row.run.state] = ['claimed', 'acked'];
    else if (verb === 'fail') [row.state, row.run.state] = ['dead', 'dead'];
    else if (delayMs > 0) [row.state, row.run.state] = ['postponed', 'postponed'];
    else [row.state, row.run.state] = ['pending', 'waiting'];
    if (verb === 'release') row.run.attempts--;
    return 1;
  }

  extend({ id, fence }: ModelHold): boolean {
    const row = this.find(id);
    if (row?.run?.state !== 'held' || row.run.fence !== fence) return false;
    row.isLapsed = false;
    return true;
  }

  /** The leases and delays of a queue end. */
  lapse(queue: string): void {
    for (const row of this.of(queue)) {
      if (row.state === 'postponed' || isHeldByHandler(row)) row.isLapsed = true;
    }
  }

  recover(queue: string): void {
    for (const row of this.of(queue)) if (row.isLapsed) this.giveBack(row);
  }

  deadLetters(queue: string): bigint[] {
    return this.in(queue, 'dead').map(({ id }) => id);
  }

  /** Redrives or drops, answers whether there was such a dead letter. */
  endDeadLetter(verb: 'redrive' | 'drop', queue: string, id: bigint): boolean {
    const row = this.in(queue, 'dead').find((one) => one.id === id);
    if (row === undefined) return false;
    if (verb === 'drop') this.list = this.list.filter((one) => one !== row);
    row.state = 'pending';
    if (row.run !== null) [row.run.state, row.run.fence] = ['waiting', 0];
    return true;
  }

  protected of(queue: string): ModelRow[] {
    return this.list
      .filter((row) => row.queue === queue)
      .sort((one, other) => (one.id < other.id ? -1 : 1));
  }

  protected in(queue: string, state: ModelRow['state']): ModelRow[] {
    return this.of(queue).filter((row) => row.state === state);
  }

  protected giveBack(row: ModelRow): void {
    const { run } = row;
    row.isLapsed = false;
    const isSpent = run?.state === 'held' && run.attempts >= run.limit;
    if (run?.state === 'held') run.fence = 0;
    row.state = isSpent ? 'dead' : 'pending';
    if (run !== null) run.state = isSpent ? 'dead' : 'waiting';
  }

  private find(id: bigint): ModelRow | undefined {
    return this.list.find((row) => row.id === id);
  }
}

/** A batch's rows have no lease. */
function isHeldByHandler({ state, run }: ModelRow): boolean {
  return state === 'reserved' && run?.state === 'held';
}
