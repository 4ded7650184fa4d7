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
import { FORMAT, FORMAT_VERSION, PAGE, type DumpOptions, type DumpProgress } from './dump.js';
import { checkId, INSERTABLE } from './ids.js';
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
 * dump's. A page is inserted whole or not at all; those before a failure stay.
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
  checkFunction('onProgress', onProgress);
  core.assertOpen();
  if (!checkBoolean('merge', merge)) await assertEmpty(core);
  return new Loading(core, onProgress).run(lines);
}

async function assertEmpty({ backend }: BrokerCore): Promise<void> {
  for await (const { queue } of backend.queues()) {
    throw new IntegrityError(`the namespace has messages, in ${queue}: load with merge to add`);
  }
}

type Line = Readonly<Record<string, unknown>>;

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
    private readonly onProgress: (progress: DumpProgress) => void,
  ) {}

  async run(lines: Iterable<string> | AsyncIterable<string>): Promise<LoadResult> {
    let number = 0;
    for await (const text of lines) {
      number++;
      if (text.trim() !== '') await this.take(parse(text, number), `line ${number}`);
    }
    await this.flush();
    const { lastId, messages, aliases, promised } = this;
    if (lastId === null || promised !== messages) {
      const wanted = typeof promised === 'number' ? ` of ${promised}` : '';
      throw new IntegrityError(`the dump is not complete: ${messages}${wanted} messages are there`);
    }
    this.core.sawId(await this.core.backend.advanceLastId(lastId));
    return { messages, aliases, lastId };
  }

  private async take(value: Line, place: string): Promise<void> {
    if (this.lastId === null) this.lastId = readHead(value, place);
    else if (this.promised !== null) throw new InvalidOptionError(place, 'is behind the end');
    else if ('id' in value) await this.add(value, place);
    else if ('alias' in value) await this.addAlias(value);
    else if (value.end === true) this.promised = value.messages ?? NaN;
    else throw new InvalidOptionError(place, 'is no line of a dump');
  }

  private async add({ queue, id, body, base64 }: Line, place: string): Promise<void> {
    const stored = typeof base64 === 'string' ? Buffer.from(base64, 'base64') : body;
    if (stored === undefined) throw new InvalidOptionError(place, 'has no body');
    const { maxMessageBytes } = this.core.settings;
    const row = {
      queue: checkQueueName(queue),
      id: checkId(place, id, INSERTABLE),
      body: encodeBody(stored, { codec: STORED, maxMessageBytes }),
    };
    const bytes = Buffer.byteLength(row.body);
    if (this.pageBytes + bytes > PAGE_BYTES) await this.flush();
    this.pageBytes += bytes;
    if (this.page.push(row) === PAGE) await this.flush();
  }

  private async addAlias({ alias, target }: Line): Promise<void> {
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
    this.onProgress({ messages: this.messages, queue: page[page.length - 1].queue });
  }
}

function parse(text: string, number: number): Line {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null) return value as Line;
  } catch {
    // told below, as for any other value
  }
  throw new InvalidOptionError(`line ${number}`, 'is no JSON object');
}

function readHead({ format, version, lastId }: Line, place: string): bigint {
  if (format === FORMAT && version === FORMAT_VERSION) return checkId(place, lastId);
  throw new InvalidOptionError(place, `is not the head of a dump of version ${FORMAT_VERSION}`);
}
