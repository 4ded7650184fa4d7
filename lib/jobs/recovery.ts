import { checkDuration, checkKeys } from '../errors/index.js';
import type { KeySpace } from '../redis/index.js';
import type { JobsCore } from './jobs.core.js';
import { recoverScript } from './jobs.scripts.js';

/** Recovers in pages until the end of the running set; see `JobDriver.recoverOrphans`. */
export async function recoverOrphans(
  core: JobsCore,
  space: KeySpace,
  options: { readonly olderThanMs?: number },
): Promise<number> {
  checkKeys('options', options, ['olderThanMs']);
  const { olderThanMs } = options;
  const { promoteLimit, maxRecoveries, keepFailed } = core.settings;
  const terms = {
    olderThanMs:
      olderThanMs === undefined
        ? ''
        : String(checkDuration('olderThanMs', olderThanMs, { min: 0 })),
    limit: promoteLimit,
    maxRecoveries,
    keepFailed: keepFailed.count,
    keepFailedMs: keepFailed.ageMs,
  };
  let recovered = 0;
  let before = 0;
  for (let skip = 0; skip >= 0;) {
    const page = await recoverScript.run(core.connection, space, { ...terms, skip, before });
    recovered += page.count;
    before = page.before;
    skip = page.nextSkip;
  }
  return recovered;
}
