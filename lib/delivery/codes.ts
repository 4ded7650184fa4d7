/**
 * Puts codes back in the order of the outcomes: settle scripts take the acks first, since they are
 * the bulk and the shortest, then the others, and answer in that order.
 */
export function codesInOrder(
  outcomes: readonly { readonly verb: string }[],
  codes: readonly number[],
): readonly number[] {
  let ack = 0;
  let other = outcomes.reduce((count, { verb }) => count + (verb === 'ack' ? 1 : 0), 0);
  return outcomes.map(({ verb }) => codes[verb === 'ack' ? ack++ : other++]);
}
