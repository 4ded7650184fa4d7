import { checkFunction, checkKeys } from '../errors/index.js';
import type { NamedRow } from './broker.backend.js';
import type { BrokerCore } from './broker.core.js';
import { bodyFields, FORMAT, FORMAT_VERSION, PAGE } from './dump.format.js';
import { formatId } from './ids.js';

/** How far a dump or a load is. */
export interface DumpProgress {
  /** Messages so far. */
  readonly messages: number;
  /** The queue of the last one. */
  readonly queue: string;
}

/** What a dump or a load tells on its way. */
export interface DumpOptions {
  /** Called after each page: 500 messages (more with thousands of queues), less if they are large. */
  readonly onProgress?: (progress: DumpProgress) => void;
}

/**
 * The pending messages of a namespace and its aliases as JSON lines: a head, a line each, an end.
 * Messages written after it began are not in it; bodies that are no well-formed text are base64.
 *
 * It goes by id and not from queue to queue: each message that is there all the time is in it once,
 * also one that is moved or whose queue is renamed meanwhile. Each page looks into every queue, in
 * one step: about 4 ms with 1,000 queues, and 35 ms with 10,000.
 */
export async function* dumpLines(
  core: BrokerCore,
  options: DumpOptions,
): AsyncGenerator<string, void> {
  checkKeys('options', options, ['onProgress']);
  const { onProgress = () => undefined } = options;
  checkFunction('onProgress', onProgress);
  core.assertOpen();
  const { lastId } = await core.backend.meta();
  yield line({ format: FORMAT, version: FORMAT_VERSION, lastId: formatId(lastId) });
  for (const [alias, target] of await core.backend.aliases()) yield line({ alias, target });
  let messages = 0;
  for await (const rows of pagesUpTo(core, lastId)) {
    for (const { queue, id, body } of rows) {
      yield line({ queue, id: formatId(id), ...bodyFields(body) });
    }
    messages += rows.length;
    onProgress({ messages, queue: rows[rows.length - 1].queue });
  }
  yield line({ end: true, messages });
}

/** Pages that have rows; one of ids without bodies only has none. */
async function* pagesUpTo(core: BrokerCore, lastId: bigint): AsyncGenerator<readonly NamedRow[]> {
  for (let after: bigint | null = null; ;) {
    const bounds = { after, before: lastId + 1n, limit: PAGE };
    const { rows, last } = await core.backend.unread(bounds);
    if (rows.length > 0) yield rows;
    if (last === null) return;
    after = last;
  }
}

function line(value: object): string {
  return JSON.stringify(value);
}
