import type { DeadLetter } from '../contract/index.js';
import { parseHeaders, readPayload, type PayloadCodec } from '../delivery/index.js';
import { asList, asText } from '../redis/index.js';

/** A dead letter of a stream. */
export interface StreamDeadLetter extends DeadLetter {
  /** Why in the seed's words: given up by its handler, or taken over too often. */
  readonly kind: 'rejected' | 'max_deliveries';
  /** The group that gave it up; others may have done well. */
  readonly group: string;
  /** The id of the message's first entry in the stream. */
  readonly entryId: string;
  /** The bytes as they were published. */
  readonly body: Buffer;
}

/** A dead letter as the server answers it. */
export interface RawLetter {
  /** Its id in the dead-letter stream. */
  readonly position: string;
  readonly fields: ReadonlyMap<string, Buffer>;
}

/** Reads (id, fields) pairs. */
export function readLetters(raw: unknown): RawLetter[] {
  return asList(raw).map((letter) => {
    const [position, flat] = asList(letter);
    return { position: asText(position), fields: fieldsOf(asList(flat)) };
  });
}

/** The dead letter as users see it; what does not decode shows as raw text. */
export function toLetter({ fields }: RawLetter, codec: PayloadCodec): StreamDeadLetter {
  const field = (name: string) => fields.get(name)?.toString() ?? '';
  const body = fields.get('body') ?? Buffer.alloc(0);
  const kind = field('reason') === 'max_deliveries' ? 'max_deliveries' : 'rejected';
  return {
    id: field('id') || field('entry_id'),
    entryId: field('entry_id'),
    kind,
    group: field('group'),
    body,
    payload: readPayload(codec, body).payload,
    headers: headersOf(field('headers')),
    attempts: Number(field('attempts')) || 0,
    reason: field('error') || REASONS[kind],
    deadAt: Number(field('at')) || 0,
  };
}

const REASONS = {
  rejected: 'rejected',
  max_deliveries: 'max_deliveries: taken over too often, nobody settled it',
} as const;

function fieldsOf(flat: readonly unknown[]): ReadonlyMap<string, Buffer> {
  const fields = new Map<string, Buffer>();
  for (let at = 0; at < flat.length; at += 2) fields.set(asText(flat[at]), flat[at + 1] as Buffer);
  return fields;
}

function headersOf(stored: string): Readonly<Record<string, string>> {
  try {
    return parseHeaders(stored);
  } catch {
    return {};
  }
}
