import type { Message } from '../contract/index.js';
import { PayloadError, UnreadablePayloadError } from '../errors/index.js';

/** Where a message of the memory engine is. */
export type MemoryState = 'waiting' | 'delayed' | 'running' | 'done' | 'dead' | 'cancelled';

/** What `produce` takes beside the payload. */
export interface ProduceOptions {
  /** @default the next number of the queue */
  readonly id?: string;
  /** Messages of one group run one at a time, in order of arrival. @default a group of its own */
  readonly group?: string;
  /** The message's name, for handlers that look at it. @default '' */
  readonly name?: string;
  /** Milliseconds before which it is not delivered. @default 0 */
  readonly delayMs?: number;
  /** Attempts in all; comes before the processor's. */
  readonly maxAttempts?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Everything the queue knows about a message; the body is text, as on a server. */
export interface MemoryRecord {
  readonly id: string;
  readonly queue: string;
  readonly group: string;
  readonly name: string;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly maxAttempts: number | null;
  readonly enqueuedAt: number;
  state: MemoryState;
  attempt: number;
  /** Fence of the last claim: names its holder. */
  fence: number;
  /** When a delayed message becomes due. */
  dueAt: number;
  reason: string;
  endedAt: number;
  /** What the handler returned, as text; `null` for nothing. */
  result: string | null;
}

/**
 * Turns a payload or a result into the text that is kept.
 *
 * @throws PayloadError when JSON has no words for it; nothing was stored then
 */
export function encode(value: unknown): string {
  let text: string | undefined;
  try {
    text = JSON.stringify(value);
  } catch (error) {
    throw new PayloadError('the value is not JSON', { cause: error });
  }
  if (text === undefined)
    throw new PayloadError(`JSON has no words for a value of ${typeof value}`);
  return text;
}

/** A body as its handler gets it; the raw text and the reason when it does not decode. */
export function decode(body: string): { payload: unknown; unreadable: Error | null } {
  try {
    return { payload: JSON.parse(body) as unknown, unreadable: null };
  } catch (error) {
    const unreadable = new UnreadablePayloadError('the body is not JSON', { cause: error });
    return { payload: body, unreadable };
  }
}

/** A record as a handler sees it; `payload` was decoded before. */
export function toMessage(record: MemoryRecord, payload: unknown): Message {
  const { id, queue, name, headers, attempt, enqueuedAt } = record;
  return { id, queue, name, payload, headers, attempt, enqueuedAt };
}
