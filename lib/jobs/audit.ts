import { checkKeys, checkBoolean } from '../errors/index.js';
import { asList, asText, type KeySpace } from '../redis/index.js';
import type { JobsCore } from './jobs.core.js';
import { auditScript } from './jobs.scripts.js';

/** One broken invariant of a queue. */
export interface AuditFinding {
  readonly problem: string;
  /** The job's id, the coalescing key or the type it is about. */
  readonly subject: string;
}

/** What is walked besides the pending sets of the types. */
const PARTS: readonly (readonly [part: string, index: string])[] = [
  ['records', ''],
  ['index', 's'],
  ['index', 'r'],
  ['index', 'd'],
  ['index', 'f'],
  ['index', 'c'],
  ['index', 'state'],
  ['index', 'result'],
  ['types', ''],
  ['holders', ''],
];

/** Walks a whole queue page by page; see `JobDriver.audit`. */
export async function auditQueue(
  core: JobsCore,
  space: KeySpace,
  options: { readonly repair?: boolean },
): Promise<AuditFinding[]> {
  checkKeys('options', options, ['repair']);
  const { repair = false } = options;
  checkBoolean('repair', repair);
  const types = asList(
    await core.connection.command('ZRANGE', [space.key('types'), '0', '-1']),
  ).map(asText);
  const parts = [...PARTS, ...types.map((type) => ['pending', type] as const)];
  const findings: AuditFinding[] = [];
  for (const [part, index] of parts) {
    let cursor = '0';
    do {
      const page = await auditScript.run(core.connection, space, { part, index, cursor, repair });
      findings.push(...inPairs(page.findings));
      cursor = page.cursor;
    } while (cursor !== '0');
  }
  return findings;
}

function inPairs(flat: readonly string[]): AuditFinding[] {
  const findings: AuditFinding[] = [];
  for (let at = 0; at < flat.length; at += 2)
    findings.push({ problem: flat[at], subject: flat[at + 1] });
  return findings;
}
