type Matcher = (character: string) => boolean;

/** Stands for any text, the empty one too. */
const STAR = null;

/**
 * Whether a name matches a pattern: `*` any text, `?` one character, `[seq]` one of these (ranges
 * too), `[!seq]` none of these. Case counts, dots are ordinary, nothing escapes; a `[` without its
 * end is itself.
 *
 * Not by a regular expression: one made of many stars takes exponential time on a long name.
 */
export function fnmatch(pattern: string): (name: string) => boolean {
  const tokens = tokensOf(pattern);
  return (name) => matches(tokens, name);
}

/** At a mismatch only the last star takes one character more, so this is linear in both. */
function matches(tokens: readonly (Matcher | typeof STAR)[], name: string): boolean {
  let [at, token, star, retryAt] = [0, 0, -1, 0];
  while (at < name.length) {
    const wanted = tokens[token];
    if (wanted === STAR) [star, retryAt, token] = [token, at, token + 1];
    else if (wanted?.(name[at])) [at, token] = [at + 1, token + 1];
    else if (star < 0) return false;
    else [retryAt, at, token] = [retryAt + 1, retryAt + 1, star + 1];
  }
  return tokens.slice(token).every((rest) => rest === STAR);
}

function tokensOf(pattern: string): (Matcher | typeof STAR)[] {
  const tokens: (Matcher | typeof STAR)[] = [];
  for (let at = 0; at < pattern.length;) {
    const set = pattern[at] === '[' ? setAt(pattern, at) : null;
    tokens.push(set ? set.matcher : single(pattern[at]));
    at += set?.length ?? 1;
  }
  return tokens;
}

function single(character: string): Matcher | typeof STAR {
  if (character === '*') return STAR;
  return character === '?' ? () => true : (other) => other === character;
}

/** A `]` right behind the opening (or behind its `!`) belongs to the set. */
function setAt(pattern: string, start: number): { matcher: Matcher; length: number } | null {
  const isNegated = pattern[start + 1] === '!';
  const first = start + (isNegated ? 2 : 1);
  const end = pattern.indexOf(']', first + 1);
  if (end === -1) return null;
  const ranges = rangesOf(pattern.slice(first, end));
  const isIn: Matcher = (one) => ranges.some(([from, to]) => from <= one && one <= to);
  return { matcher: (one) => isIn(one) !== isNegated, length: end + 1 - start };
}

function rangesOf(set: string): (readonly [from: string, to: string])[] {
  const ranges: (readonly [string, string])[] = [];
  for (let at = 0; at < set.length;) {
    const isRange = set[at + 1] === '-' && at + 2 < set.length;
    ranges.push([set[at], isRange ? set[at + 2] : set[at]]);
    at += isRange ? 3 : 1;
  }
  return ranges;
}
