import {
  checkBoolean,
  checkFunction,
  checkKeys,
  IntegrityError,
  InvalidOptionError,
} from '../errors/index.js';
import type { PayloadCodec } from '../delivery/index.js';
import { encodeBody, TEXT_CODEC } from './body.js';
import type { BrokerCore } from './broker.core.js';
import type { DumpOptions, DumpProgress } from './dump.js';
import {
  checkLines,
  type DumpLine,
  PAGE,
  parseLine,
  readBody,
  readHead,
  readId,
} from './dump.format.js';
import { checkQueueName } from './queue-name.js';

/** How lines are loaded. */
export interface LoadOptions extends DumpOptions {
  /** Whether a namespace that has messages is loaded into. @default false */
  readonly merge?: boolean;
}

/** What was loaded. */
export interface LoadResult {
  readonly messages: number;
  readonly aliases: number;
  /** The high-water mark after it: the dump's, or a higher one that was there. */
  readonly lastId: bigint;
}

/** Bytes of the bodies after which a page is full. */
const PAGE_BYTES = 4 * 1_048_576;

/** Bodies as they stand in a dump: texts, or bytes that are none. */
const STORED: PayloadCodec = {
  ...TEXT_CODEC,
  encode: (body) => (Buffer.isBuffer(body) ? body : TEXT_CODEC.encode(body)),
};

/**
 * Loads what `dumpLines` made, page by page, with exact ids, and raises the high-water mark to the
 * dump's. A page is inserted whole or not at all; pages and aliases before a failure stay, so
 * `cleanUp` comes before a load is tried again.
 *
 * @throws InvalidOptionError naming the line that is none of a dump; MessageError for a body that
 * could not be written either; IntegrityError for a namespace that has messages (unless `merge`), a
 * taken id, or a dump that lacks lines or its end
 */
export async function loadLines(
  core: BrokerCore,
  lines: Iterable<string> | AsyncIterable<string>,
  options: LoadOptions,
): Promise<LoadResult> {
  checkKeys('options', options, ['onProgress', 'merge']);
  const { merge = false, onProgress = () => undefined } = options;
  const terms = { merge: checkBoolean('merge', merge), onProgress };
  checkFunction('onProgress', onProgress);
  core.assertOpen();
  return new Loading(core, terms).run(checkLines(lines));
}

/** One load under way. */
class Loading {
  private readonly page: { queue: string; id: bigint; body: string | Buffer }[] = [];
  private pageBytes = 0;
  private messages = 0;
  private aliases = 0;
  private knownAliases: Map<string, string> | null = null;
  private lastId: bigint | null = null;
  /** How many messages the dump says it has, once its end is read. */
  private promised: unknown = null;

  constructor(
    private readonly core: BrokerCore,
    private readonly terms: {
      readonly merge: boolean;
      readonly onProgress: (progress: DumpProgress) => void;
    },
  ) {}

  /** Takes the first line in the caller's own tick: a reader of lines loses what nobody awaits. */
  async run(lines: Iterable<string> | AsyncIterable<string>): Promise<LoadResult> {
    let number = 0;
    for await (const text of lines as AsyncIterable<unknown>) {
      const place = `line ${++number}`;
      if (typeof text !== 'string' || text.trim() !== '') {
        await this.take(parseLine(text, place), place);
      }
    }
    await this.flush();
    const { lastId, messages, aliases, promised } = this;
    if (lastId === null || promised !== messages) {
      const wanted = typeof promised === 'number' ? ` of ${promised}` : '';
      throw new IntegrityError(`the dump is not complete: ${messages}${wanted} messages are there`);
    }
    const mark = await this.core.backend.advanceLastId(lastId);
    this.core.sawId(mark);
    return { messages, aliases, lastId: mark };
  }

  private async take(value: DumpLine, place: string): Promise<void> {
    if (this.lastId === null) await this.begin(value, place);
    else if (this.promised !== null) throw new InvalidOptionError(place, 'is behind the end');
    else if ('id' in value) await this.add(value, place);
    else if ('alias' in value) await this.addAlias(value);
    else if (value.end === true) this.promised = value.messages ?? NaN;
    else throw new InvalidOptionError(place, 'is no line of a dump');
  }

  private async begin(value: DumpLine, place: string): Promise<void> {
    this.lastId = readHead(value, place);
    if (this.terms.merge) return;
    for await (const { queue } of this.core.backend.queues()) {
      throw new IntegrityError(`the namespace has messages, in ${queue}: load with merge to add`);
    }
  }

  private async add(line: DumpLine, place: string): Promise<void> {
    const { maxMessageBytes } = this.core.settings;
    const row = {
      queue: checkQueueName(line.queue),
      id: readId(line, place),
      body: encodeBody(readBody(line, place), { codec: STORED, maxMessageBytes }),
    };
    const bytes = Buffer.byteLength(row.body);
    if (this.pageBytes + bytes > PAGE_BYTES) await this.flush();
    this.pageBytes += bytes;
    if (this.page.push(row) === PAGE) await this.flush();
  }

  private async addAlias({ alias, target }: DumpLine): Promise<void> {
    const [name, queue] = [checkQueueName(alias, 'an alias'), checkQueueName(target)];
    const known = (this.knownAliases ??= new Map(await this.core.backend.aliases()));
    if (known.get(name) !== queue) await this.core.backend.addAlias(name, queue);
    known.set(name, queue);
    this.aliases++;
  }

  private async flush(): Promise<void> {
    const page = this.page.splice(0);
    this.pageBytes = 0;
    if (page.length === 0) return;
    await this.core.backend.insert(page);
    this.messages += page.length;
    this.terms.onProgress({ messages: this.messages, queue: page[page.length - 1].queue });
  }
}
