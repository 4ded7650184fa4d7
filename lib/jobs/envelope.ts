import { NO_HEADERS, parseHeaders } from '../delivery/index.js';
import { decodeName, encodeName } from '../redis/index.js';

/** What stands before the payload of a job, in words. */
export interface Envelope {
  readonly enqueuedAt: number;
  readonly priority: number;
  /** 0: the producer named no limit. */
  readonly maxAttempts: number;
  readonly type: string;
  readonly coalesceBy: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly payload: Buffer;
}

/** What a producer says of a job beside its payload; already checked. */
export interface JobHead {
  /** '' now, '+<ms>' from the server's now, '<epoch ms>' at that time. */
  readonly due: string;
  readonly priority: number;
  readonly maxAttempts: number;
  readonly type: string;
  readonly coalesceBy: string;
  /** JSON text, '' when there are none. */
  readonly headers: string;
}

const LINE_FEED = 10;

/** The text from which the enqueue script makes the record; names hold no line feed. */
export function encodeHead(head: JobHead): string {
  const { due, priority, maxAttempts, coalesceBy, headers } = head;
  return `${due}|${priority} ${maxAttempts} ${encodeName(head.type)}\n${coalesceBy}\n${headers}\n`;
}

/** Takes a stored record apart; a head that somebody damaged gives type '' and the whole as payload. */
export function decodeEnvelope(data: Buffer): Envelope {
  const first = data.indexOf(LINE_FEED);
  const second = data.indexOf(LINE_FEED, first + 1);
  const third = data.indexOf(LINE_FEED, second + 1);
  const fields = data.toString('utf8', 0, Math.max(first, 0)).split(' ');
  if (first < 0 || second < first || third < second || fields.length < 5) return damaged(data);
  const headers =
    third === second + 1 ? NO_HEADERS : readHeaders(data.toString('utf8', second + 1, third));
  if (headers === null) return damaged(data);
  return {
    enqueuedAt: Number(fields[1]),
    priority: Number(fields[2]),
    maxAttempts: Number(fields[3]),
    type: decodeName(fields.length === 5 ? fields[4] : fields.slice(4).join(' ')),
    coalesceBy: data.toString('utf8', first + 1, second),
    headers,
    payload: data.subarray(third + 1),
  };
}

/** `null` when somebody damaged them: one bad record must not fail the claim of its neighbours. */
function readHeaders(text: string): Envelope['headers'] | null {
  try {
    return parseHeaders(text);
  } catch {
    return null;
  }
}

function damaged(payload: Buffer): Envelope {
  return {
    enqueuedAt: 0,
    priority: 0,
    maxAttempts: 0,
    type: '',
    coalesceBy: '',
    headers: NO_HEADERS,
    payload,
  };
}
