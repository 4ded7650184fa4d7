/** How a message of a lease ended, as the settle script takes it. */
export interface GroupOutcome {
  /**
   * `last` is an ack that gives back what is left of the batch; `retry` comes again unless its
   * attempts are used up; `fail` goes to the dead letters; `release` spends no attempt.
   */
  readonly verb: 'ack' | 'last' | 'retry' | 'fail' | 'release';
  /** Encoded. */
  readonly group: string;
  readonly token: string;
  /** Messages of the lease that went well so far: for an ack this one too. */
  readonly done: number;
  readonly delayMs: number;
  readonly reason: string;
}

/** The outcomes of one settle call. */
export interface SettleBatch {
  readonly acks: number;
  readonly others: number;
  readonly outcomes: readonly string[];
}

/** Outcomes as arguments of the settle script: acks first, since they are the bulk and the shortest. */
export function outcomeArguments(given: readonly GroupOutcome[]): SettleBatch {
  const acks: string[] = [];
  const others: string[] = [];
  for (const { verb, group, token, done, delayMs, reason } of given) {
    if (verb === 'ack') acks.push(group, token, String(done));
    else others.push(verb, group, token, String(done), String(delayMs), reason);
  }
  return { acks: acks.length / 3, others: others.length / 6, outcomes: acks.concat(others) };
}
