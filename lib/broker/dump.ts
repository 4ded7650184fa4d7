import { checkFunction, checkKeys } from '../errors/index.js';
import type { BrokerCore } from './broker.core.js';
import { formatId } from './ids.js';
import { OLDEST } from './selectors.js';

/** How far a dump or a load is. */
export interface DumpProgress {
  /** Messages so far. */
  readonly messages: number;
  /** The queue of the last one. */
  readonly queue: string;
}

/** What a dump or a load tells on its way. */
export interface DumpOptions {
  /** Called after each page, at most 500 messages and some megabytes. */
  readonly onProgress?: (progress: DumpProgress) => void;
}

/** What the head of a dump says it is. */
export const FORMAT = 'nest-redis-queue:broker';
/** Changes with the lines of a dump. */
export const FORMAT_VERSION = 1;
/** Messages of one page. */
export const PAGE = 500;

/**
 * The pending messages of a namespace and its aliases as JSON lines: a head, a line each, an end.
 * Messages written after it began are not in it; bodies that are no well-formed text are base64.
 *
 * It goes from queue to queue and not in one step: a message that is moved meanwhile may be in it
 * twice, and `load` refuses its id then, or not at all. Dump while nothing moves.
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
  for await (const { queue } of core.backend.queues()) {
    for await (const rows of pagesOf(core, queue, lastId)) {
      for (const { id, body } of rows) yield line({ queue, id: formatId(id), ...asText(body) });
      messages += rows.length;
      onProgress({ messages, queue });
    }
  }
  yield line({ end: true, messages });
}

async function* pagesOf(core: BrokerCore, queue: string, lastId: bigint) {
  for (let after: bigint | null = null; ;) {
    const request = { ...OLDEST, queue, after, before: lastId + 1n, limit: PAGE };
    const { rows } = await core.backend.peek(request, 'unread');
    if (rows.length === 0) return;
    yield rows;
    after = rows[rows.length - 1].id;
  }
}

function line(value: object): string {
  return JSON.stringify(value);
}

function asText(body: Buffer): { readonly body: string } | { readonly base64: string } {
  const text = body.toString('utf8');
  return Buffer.from(text).equals(body) ? { body: text } : { base64: body.toString('base64') };
}
