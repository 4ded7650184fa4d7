/** How a run ended, as the settle script takes it. */
export type StreamOutcome = OutcomeOf &
  (
    | { readonly verb: 'ack' }
    | {
        /** postpone: back of the stream when the delay is over, without the run being spent. */
        readonly verb: 'retry' | 'fail' | 'release' | 'postpone';
        readonly delayMs: number;
        readonly reason: string;
      }
  );

interface OutcomeOf {
  readonly queue: string;
  /** The entry's id in the stream. */
  readonly id: string;
  readonly token: string;
}

/** Outcomes as script arguments; acks first, since they are the bulk and the shortest. */
export function outcomeArguments(outcomes: readonly StreamOutcome[]) {
  const acks: string[] = [];
  const ended: string[] = [];
  for (const one of outcomes) {
    if (one.verb === 'ack') acks.push(one.id, one.token);
    else ended.push(one.verb, one.id, one.token, String(one.delayMs), one.reason);
  }
  return { acks: acks.length / 2, ended: ended.length / 5, outcomes: acks.concat(ended) };
}
