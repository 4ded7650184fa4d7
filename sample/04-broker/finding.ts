/** What one part of the mailroom gave, and whether that is what was promised. */
export interface Finding {
  readonly promise: string;
  readonly found: string;
  readonly holds: boolean;
}

/** The findings as lines of text. */
export function reportOf(findings: readonly Finding[]): string {
  const width = Math.max(...findings.map(({ promise }) => promise.length));
  return findings
    .map(({ promise, found, holds }) => {
      return `${holds ? 'held ' : 'BROKEN'} ${promise.padEnd(width)}  ${found}`;
    })
    .join('\n');
}
