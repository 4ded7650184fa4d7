import { UnreadablePayloadError } from '../errors/index.js';
import { readPayload, type PayloadCodec } from '../delivery/index.js';
import { decodeEnvelope } from './envelope.js';
import type { ClaimedJob, JobRecord } from './job.js';
import type { ClaimedEntry, ShownJob } from './job.replies.js';

/** Stands before a stored result, so that an empty one differs from none. */
const RESULT_MARK = '=';

/** What the claim script answered, as its holder gets it. */
export function readClaimedJob(
  entry: ClaimedEntry,
  codec: PayloadCodec,
  where: ClaimPlace,
): ClaimedJob {
  const envelope = decodeEnvelope(entry.data);
  const { payload, unreadable } = readPayload(codec, envelope.payload);
  return {
    id: entry.id,
    queue: where.queue,
    name: envelope.type,
    type: envelope.type,
    payload,
    headers: envelope.headers,
    priority: envelope.priority,
    attempt: entry.attempt,
    enqueuedAt: envelope.enqueuedAt,
    token: String(entry.fence),
    fence: entry.fence,
    leaseMs: where.leaseMs,
    maxAttempts: envelope.maxAttempts || null,
    unreadable: envelope.type === '' ? new UnreadablePayloadError(DAMAGED) : unreadable,
  };
}

interface ClaimPlace {
  readonly queue: string;
  readonly leaseMs: number;
}

/** What `get` and `list` answered, in the fields of the canonical record. */
export function readRecord(shown: ShownJob, codec: PayloadCodec): JobRecord {
  const envelope = decodeEnvelope(shown.data);
  const { payload, unreadable } = readPayload(codec, envelope.payload);
  return {
    id: shown.id,
    type: envelope.type,
    status: shown.status,
    payload,
    unreadable: unreadable !== null || envelope.type === '',
    headers: envelope.headers,
    priority: envelope.priority,
    attempts: shown.attempts,
    maxAttempts: envelope.maxAttempts || null,
    recoveries: shown.recoveries,
    lastError: shown.error || null,
    result: readResult(shown.result, codec),
    coalesceBy: envelope.coalesceBy || null,
    enqueuedAt: envelope.enqueuedAt,
    startedAt: shown.startedAt || null,
    finishedAt: shown.finishedAt || null,
    notBefore: shown.due,
    fence: shown.fence,
  };
}

/** An encoded result as it is stored. */
export function markResult(result: string | Buffer): string | Buffer {
  return typeof result === 'string'
    ? RESULT_MARK + result
    : Buffer.concat([Buffer.from(RESULT_MARK), result]);
}

const DAMAGED = 'the record of this job is damaged: its head does not parse';

function readResult(stored: Buffer | null, codec: PayloadCodec): unknown {
  return stored === null
    ? undefined
    : readPayload(codec, stored.subarray(RESULT_MARK.length)).payload;
}
