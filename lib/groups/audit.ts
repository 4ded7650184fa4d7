import { checkBoolean, checkKeys } from '../errors/index.js';
import { asTextOrNull, type KeySpace } from '../redis/index.js';
import type { GroupsCore } from './groups.core.js';
import { auditScript } from './groups.scripts.js';
import { TOP_TIER } from './tiers.js';

/** One broken invariant of a topic. */
export interface GroupAuditFinding {
  readonly problem: string;
  /** The group or the dead letter it is about, as it stands in keys; '' for the topic. */
  readonly subject: string;
}

interface Audit {
  readonly core: GroupsCore;
  readonly space: KeySpace;
  readonly repair: boolean;
  readonly findings: GroupAuditFinding[];
}

/** Walks a whole topic page by page; see `GroupTransport.audit`. */
export async function auditTopic(
  core: GroupsCore,
  space: KeySpace,
  options: { readonly repair?: boolean },
): Promise<GroupAuditFinding[]> {
  checkKeys('options', options, ['repair']);
  const { repair = false } = options;
  checkBoolean('repair', repair);
  const audit: Audit = { core, space, repair, findings: [] };
  for (let tier = 0; tier <= TOP_TIER; tier++) await walk(audit, 'ready', tier);
  for (const part of ['tries', 'parked', 'dead', 'letters']) await walk(audit, part);
  await checkBacklog(audit, await walk(audit, 'prio'));
  return audit.findings;
}

/** Walks one part; answers how many messages its groups hold. */
async function walk(audit: Audit, part: string, tier = 0): Promise<number> {
  const { core, space, repair, findings } = audit;
  let messages = 0;
  let cursor = '0';
  do {
    const args = { part, tier: String(tier), cursor, repair };
    const page = await auditScript.run(core.connection, space, args);
    for (let at = 0; at < page.findings.length; at += 2)
      findings.push({ problem: page.findings[at], subject: page.findings[at + 1] });
    messages += page.messages;
    cursor = page.cursor;
  } while (cursor !== '0');
  return messages;
}

async function checkBacklog({ core, space, repair, findings }: Audit, messages: number) {
  const key = space.key('meta');
  const stored = asTextOrNull(await core.connection.command('HGET', [key, 'backlog']));
  const difference = messages - Number(stored ?? 0);
  if (difference === 0) return;
  findings.push({ problem: 'backlog counter disagrees', subject: '' });
  if (repair) await core.connection.command('HINCRBY', [key, 'backlog', difference]);
}
