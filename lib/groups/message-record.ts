import { UnreadablePayloadError } from '../errors/index.js';
import { readPayload, type PayloadCodec } from '../delivery/index.js';
import { decodeName } from '../redis/index.js';
import { decodeFrame, type Frame } from './frame.js';
import type { ClaimedMessage, GroupDeadLetter, PeekedMessage } from './group-message.js';
import type { GroupLease, LetterRow } from './group.replies.js';

/** Where a message was claimed, and how its payload is read. */
export interface ClaimPlace {
  readonly topic: string;
  readonly leaseMs: number;
  readonly codec: PayloadCodec;
}

/** What the claim script answered, as the holder of the lease gets it: its messages in order. */
export function readLease(lease: GroupLease, place: ClaimPlace): ClaimedMessage[] {
  const group = decodeName(lease.group);
  const { topic, leaseMs, codec } = place;
  return lease.frames.map((packed, position) => {
    const { frame, payload, unreadable } = readFrame(packed, codec);
    return {
      id: frame.id || `damaged-${lease.fence + position}`,
      queue: topic,
      name: '',
      payload,
      headers: frame.headers,
      attempt: position === 0 ? lease.attempt : 1,
      enqueuedAt: frame.enqueuedAt,
      group,
      priority: lease.tier,
      token: String(lease.fence),
      position,
      fence: lease.fence + position,
      leaseMs,
      unreadable,
    };
  });
}

/** A stored entry, as `peek` shows it. */
export function readPeeked(packed: Buffer, group: string, codec: PayloadCodec): PeekedMessage {
  const { frame, payload, unreadable } = readFrame(packed, codec);
  const { id, headers, enqueuedAt } = frame;
  return { id, group, payload, unreadable: unreadable !== null, headers, enqueuedAt };
}

/** A dead letter, as `deadLetters.list` shows it. */
export function readDeadLetter(row: LetterRow, codec: PayloadCodec): GroupDeadLetter {
  const { frame, payload } = readFrame(row.frame, codec);
  const { id, attempts, reason, deadAt, tier } = row;
  const group = decodeName(row.group);
  return { id, payload, headers: frame.headers, attempts, reason, deadAt, group, priority: tier };
}

function readFrame(packed: Buffer, codec: PayloadCodec) {
  const frame = frameOf(packed);
  if (frame instanceof UnreadablePayloadError) {
    return { frame: DAMAGED, payload: packed.toString(), unreadable: frame };
  }
  return { frame, ...readPayload(codec, frame.payload) };
}

const DAMAGED: Frame = Object.freeze({
  id: '',
  enqueuedAt: 0,
  headers: Object.freeze({}),
  payload: Buffer.alloc(0),
});

function frameOf(packed: Buffer): Frame | UnreadablePayloadError {
  try {
    return decodeFrame(packed);
  } catch (error) {
    if (error instanceof UnreadablePayloadError) return error;
    throw error;
  }
}
